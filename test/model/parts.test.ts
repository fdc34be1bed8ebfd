import { DefinitionError, Model, type ModelPart, type Naming, RestProxy } from 'repose';
import * as core from 'repose/core';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const { errorFamilies, namings } = core;

/** The error that a declaration throws. */
function refusalOf(declare: () => unknown): DefinitionError {
  try {
    declare();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
  }
  throw new Error('Nothing was refused');
}

describe('the list of parts', () => {
  test('is empty in core, and holds every part of the package in the main entry', () => {
    expect(core.Model.parts).toEqual([]);
    expect(Model.parts.map(({ name }) => name)).toEqual(['namings', 'errorFamilies']);
  });

  test('names the part that a naming needs, and how to add it', () => {
    const { message } = refusalOf(() => core.Model.define({ name: 'order', fields: {}, naming: 'snake' }));
    expect(message).toContain("naming 'snake'");
    expect(message).toContain("in the model 'order'");
    expect(message).toContain('static override readonly parts = [...Model.parts, namings]');
  });

  test.each([
    ['undefined as an item', [undefined], 'a list with undefined'],
    ['a part without a name', [{ namings: {} }], 'a list with an object'],
    ['a part instead of a list', namings, 'an object'],
    ['null', null, 'null'],
  ])('is refused with %s', (_, parts, what) => {
    class Wrong extends core.Model {
      static override readonly parts = parts as unknown as readonly ModelPart[];
    }
    expect(refusalOf(() => Wrong.define({ name: 'user', fields: {} })).message).toContain(`not ${what}.`);
  });
});

describe('a part defined by an application', () => {
  test('adds a naming', () => {
    class ShoutingModel extends core.Model {
      static override readonly parts: readonly ModelPart[] = [
        namings,
        { name: 'shouting', namings: { shout: (field) => field.toUpperCase() } },
      ];
    }
    const declare = (naming: string) =>
      ShoutingModel.define({ fields: { dueDate: 'string' }, naming: naming as Naming });
    expect(declare('shout').fromRow({ DUEDATE: 'now' }).dueDate).toBe('now');
    expect(declare('kebab').fromRow({ 'due-date': 'now' }).dueDate).toBe('now');
    expect(() => declare('camel')).toThrow(DefinitionError);
  });

  test('is not needed if the naming is a function', () => {
    const upper = (name: string) => name.toUpperCase();
    const Task = core.Model.define({ fields: { dueDate: 'string' }, naming: upper });
    expect(Task.fromRow({ DUEDATE: 'now' }).dueDate).toBe('now');
  });

  test('reads error bodies in place of an earlier part', async () => {
    const own: ModelPart = {
      name: 'ownErrors',
      readProblem: (body, status) => ({ status, issues: [], detail: `own: ${(body as { wrong: string }).wrong}` }),
    };
    class Strict extends core.Model {
      static override readonly parts: readonly ModelPart[] = [errorFamilies, own];
    }
    class User extends Strict.define({ fields: { id: 'int' }, proxy: { ...server.proxy('/u'), type: RestProxy } }) {}
    server.reply({ status: 409, json: { wrong: 'taken' } });
    await expect(User.load(1)).rejects.toThrow(/own: taken/);
  });

  test('works without the others', async () => {
    class Strict extends core.Model {
      static override readonly parts: readonly ModelPart[] = [errorFamilies];
    }
    const proxy = { ...server.proxy('/orders'), type: RestProxy };
    class Order extends Strict.define({ fields: { id: 'int', name: 'string' }, proxy }) {}
    server.reply({ status: 400, json: { name: ['too long'] } });
    await expect(Order.load(1)).rejects.toMatchObject({ code: 'validation', issues: [{ path: ['name'] }] });
  });
});
