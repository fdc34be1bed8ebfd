import { conflicts, isDataError, Model, plain, receive, Session, Store, selectionOf, viewOf, windowOf } from 'repose';
import { groups } from 'repose/groups';
import { messages } from 'repose/messages';
import { memoryStorage, OutboxError } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();
/** Replaces each text by its key. */
const keys = Object.fromEntries(Object.keys(messages).map((key) => [key, `<${key}>`]));

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string', due: 'date' },
  proxy: server.proxy('/tasks', { dialect: plain(), use: [conflicts()] }),
  messages: keys,
}) {}
class Bare extends Model.define({ name: 'bare', fields: { id: 'int' }, messages: keys }) {}
const task = () => Task.fromRow({ id: 7, name: 'Ada' });
const store = (options: object = {}) => new Store({ model: Task, ...options });
/** Options, events and values of the wrong type. */
const wrong = (given: unknown): never => given as never;

/** Mistakes by the text that they give. */
const MISTAKES: Readonly<Record<string, readonly [string, () => unknown]>> = {
  'an option of save()': ['option-near', () => task().save(wrong({ sucess() {} }))],
  'an option of erase()': ['option-unknown', () => task().erase(wrong({ xyz: 1 }))],
  'an option of load()': ['option-near', () => task().load(wrong({ param: {} }))],
  'an option of Model.load()': ['option-near', () => Task.load(7, wrong({ anyid: true }))],
  'options of a record': ['option-near', () => new Task({}, wrong({ phantm: true }))],
  'values of a record': ['option-value', () => new Task(wrong('Ada'))],
  'an option of with()': ['option-near', () => Task.with(wrong({ proxi: {} }))],
  'an event of a record': ['event-other', () => task().on(wrong('change'), () => undefined)],
  'a value that JSON cannot carry': ['field-unsendable', () => Object.assign(task(), { name: new Map() })],
  'a model without a proxy': ['proxy-missing', () => Bare.load(1)],
  'a reference': ['reference-unknown', () => Task.loadReference(task() as never, wrong('owner'))],
  'an option of a store': ['option-near', () => store({ pagesize: 5 })],
  'a value of a store': ['option-value', () => store({ autoLoad: 'yes' })],
  'the page size of a store': ['query-value', () => store({ pageSize: -1 })],
  'a sorter of a store': ['option-near', () => store({ sorters: [{ property: 'name', directoin: 'ASC' }] })],
  'data of a store': ['option-value', () => store({ data: ['x'] })],
  'an event of a store': ['event-near', () => store().on(wrong('lod'), () => undefined)],
  'an event of a view': ['event-unknown', () => viewOf(store()).on(wrong('load'), () => undefined)],
  'an option of a view': ['option-other', () => viewOf(store(), wrong({ sort: 'name' }))],
  'a sorter of a view': ['query-field', () => viewOf(store(), { sorters: [wrong('nmae')] })],
  'an option of a window': ['option-unknown', () => windowOf(store({ remoteSort: true }), wrong({ xyz: 0 }))],
  'an option of show()': ['option-unknown', () => windowOf(store()).show(wrong({ xyz: 0, start: 0, end: 1 }))],
  'an event of a window': ['event-unknown', () => windowOf(store()).on(wrong('load'), () => undefined)],
  'an option of a store’s load()': ['option-other', () => store().load(wrong({ offset: 5 }))],
  'a value of a store’s load()': ['query-value', () => store().load({ page: wrong('2') })],
  'an option of loadMore()': ['option-unknown', () => store().loadMore(wrong({ page: 2 }))],
  'an option of a store’s sync()': ['option-unknown', () => store().sync(wrong({ xyz: 1 }))],
  'sort()': ['query-field', () => store().sort(wrong('nmae'))],
  'a sorter of sort()': ['query-value', () => store().sort(wrong(5))],
  'filter()': ['option-near', () => store().filter(wrong({ property: 'name', vlaue: 1 }))],
  'filter() of a list': [
    'query-value',
    () => store().setQuery(store().query.with({ filters: [...store().query.filters, wrong(5)] })),
  ],
  'group()': ['query-value', () => store().group(wrong(5))],
  'the delay of search()': ['option-unknown', () => store().search('a', wrong({ wait: 5 }))],
  'setPageSize()': ['query-value', () => store().setPageSize(-1)],
  'setRemote({ remoteSort })': ['option-value', () => store().setRemote({ remoteSort: wrong('yes') })],
  'setRemote({ remoteFilter })': ['option-value', () => store().setRemote({ remoteFilter: wrong('yes') })],
  'setExtraParams()': ['option-value', () => store().setExtraParams(wrong('a=1'))],
  'setRecords()': ['foreign-row', () => store().setRecords(wrong([5]))],
  'receive()': ['received-row', () => receive(store(), wrong([5]))],
  'a row without an id for receive()': ['received-id', () => receive(store(), [{ name: 'a' }])],
  'removed ids of receive()': ['received-removed', () => receive(store(), [], { removed: wrong(7) })],
  'select()': ['selection-item', () => selectionOf(store()).select(wrong({}))],
  'selectRange()': ['selection-range', () => selectionOf(store()).selectRange(7, 8)],
  'add()': ['foreign', () => store().add(wrong(5))],
  'a record that is there already': ['duplicate', () => store({ data: [{ id: 7 }] }).add(task())],
  'an option of a session’s load()': ['option-near', () => new Session().load(Task, 7, wrong({ anyid: true }))],
  'an event of groups()': [
    'event-unknown',
    () => store({ groups: groups({ by: ['name'] }) }).groups?.on(wrong('load'), () => undefined),
  ],
  'canLoad()': ['load-refused', () => store({ canLoad: () => false }).load()],
};

describe('the texts of a model replace the built-in ones in the refusal of', () => {
  test.each(Object.entries(MISTAKES))('%s', async (_, [reasons, act]) => {
    let error: unknown;
    try {
      await act();
    } catch (cause) {
      error = cause;
    }
    if (!isDataError(error)) expect.unreachable(`it was swallowed, or gave another error: ${error}`);
    expect(reasons.split('|')).toContain(error.reason);
    expect(error.message).toBe(`<${error.reason}>`);
    expect(server.requests).toEqual([]);
  });
});

test('the texts of a model replace those of an outbox whose storage fails', async () => {
  const full = new OutboxError('outbox-storage', { what: 'store a write', why: 'disk full' });
  const storage = Object.assign(memoryStorage(), { append: () => Promise.reject(full) });
  const outbox = await openOutbox({ scope: 'ada', storage, locks: false });
  class Kept extends Task.with({ proxy: { use: [outbox] } }) {}
  try {
    await expect(Kept.fromRow({ id: 7, name: 'Ada' }).erase()).rejects.toMatchObject({ message: '<outbox-storage>' });
  } finally {
    await outbox.close();
  }
});

test('the texts of a proxy take precedence over those of its model', async () => {
  class Own extends Task.with({ proxy: { messages: { network: 'no net' } } }) {}
  server.reply({ drop: true });
  await expect(Own.load(7)).rejects.toMatchObject({ message: 'no net' });
});
