import { Model } from 'repose';
import { describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { addOwner, type RecordOwner, removeOwner } from '../../src/model/record-owner.js';

class Task extends Model.define({ fields: { id: 'int', name: 'string' } }) {}

describe('owners of a record', () => {
  test('are told about a change at once, each once', () => {
    const task = Task.fromRow({ id: 1, name: 'a' });
    const log: string[] = [];
    const owner = (name: string): RecordOwner => ({
      recordChanged: (record, { kind }) => log.push(`${name} ${kind} ${record === task}`),
    });
    const [a, b, c] = [owner('a'), owner('b'), owner('c')];
    for (const each of [a, a, b, b, c, a]) addOwner(inner(task), each);
    task.name = 'b';
    expect(log.splice(0)).toEqual(['a set true', 'b set true', 'c set true']);
    removeOwner(inner(task), b);
    task.reject();
    expect(log.splice(0)).toEqual(['a reject true', 'c reject true']);
    removeOwner(inner(task), b);
    removeOwner(inner(task), a);
    removeOwner(inner(task), c);
    task.name = 'c';
    expect(log).toEqual([]);
  });

  test('may be removed while they are called', () => {
    const task = Task.fromRow({ id: 1, name: 'a' });
    const log: string[] = [];
    const first: RecordOwner = {
      recordChanged: () => {
        log.push('first');
        removeOwner(inner(task), first);
      },
    };
    addOwner(inner(task), first);
    addOwner(inner(task), { recordChanged: () => log.push('second') });
    task.name = 'b';
    task.name = 'c';
    expect(log).toEqual(['first', 'second', 'second']);
  });

  test('are not affected by the removal of an owner that was never added', () => {
    const task = Task.fromRow({ id: 1, name: 'a' });
    const owner: RecordOwner = { recordChanged: () => undefined };
    addOwner(inner(task), owner);
    removeOwner(inner(task), { recordChanged: () => undefined });
    removeOwner(inner(task), owner);
    task.name = 'b';
    expect(task.name).toBe('b');
  });
});
