import { AddressError, DefinitionError, Model, reference } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Team extends Model.define({ fields: { id: 'int', name: 'string' }, proxy: server.proxy('/teams') }) {}
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', teamId: reference('int', { allowNull: true }), parentId: reference('int') },
  proxy: server.proxy('/tasks'),
}) {
  static override references() {
    return { teamId: Team, parentId: Task };
  }
}

describe('loadReference', () => {
  test('loads the record that a field refers to', async () => {
    server.reply({ json: { id: 3, name: 'red' } });
    const team = await Task.loadReference(Task.fromRow({ id: 1, teamId: 3 }), 'teamId');
    expect([team instanceof Team, team?.name, server.lines]).toEqual([true, 'red', ['GET /teams/3']]);
  });

  test('loads a record of the same model', async () => {
    server.reply({ json: { id: 2 } });
    expect(await Task.loadReference(Task.fromRow({ id: 1, parentId: 2 }), 'parentId')).toBeInstanceOf(Task);
  });

  test('uses the id as it was received (H6), or as it was edited', async () => {
    server.always(({ path }) => ({ json: { id: Number(path.split('/')[2]) } }));
    const task = Task.fromRow({ id: 1, teamId: '03' });
    await Task.loadReference(task, 'teamId');
    task.teamId = 4;
    await Task.loadReference(task, 'teamId');
    expect(server.lines).toEqual(['GET /teams/03', 'GET /teams/4']);
  });

  test.each([null, undefined, ''])('returns undefined without a request if the field is %o', async (teamId) => {
    expect(await Task.loadReference(Task.fromRow({ id: 1, teamId }), 'teamId')).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  test('refuses the temporary id of a phantom (H10)', async () => {
    const team = new Team();
    const task = Task.fromRow({ id: 1 });
    task.teamId = team.getId() as number;
    await expect(Task.loadReference(task, 'teamId')).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test.each(['id', 'nope', 'toString', '__proto__'])('refuses %s, which is no reference', async (name) => {
    await expect(Task.loadReference(Task.fromRow({ id: 1 }), name as never)).rejects.toBeInstanceOf(DefinitionError);
    await expect(Team.loadReference(Team.fromRow({ id: 1 }), name as never)).rejects.toBeInstanceOf(DefinitionError);
  });
});

describe('references() with an unknown field name', () => {
  class Mistyped extends Model.define({
    name: 'mistyped',
    fields: { id: 'int', teamId: reference('int') },
    proxy: server.proxy('/tasks'),
  }) {
    static override references() {
      return { teamID: Team };
    }
  }

  test('is refused when a record is made, because the temporary id of a new team would be sent', () => {
    expect(() => new Mistyped({ teamId: new Team().getId() as number })).toThrow(
      "`references()` of mistyped names 'teamID', which is not a field: did you mean 'teamId'?",
    );
  });

  test('is refused when a record is made from a row, before it could be saved', () => {
    expect(() => Mistyped.fromRow({ id: 1 })).toThrow(DefinitionError);
  });
});
