import fc from 'fast-check';
import { ConflictError, confirm, conflicts, decide, embed, etags, idempotency, Model, plain, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { Reference, type Slots, slotsOf } from './saved-values-reference.js';
import { type Fate, FaultServer, type Row } from './saved-values-server.js';

const FATES: readonly Fate[] = ['done', 'done', 'done', 'refused', 'lost before', 'lost after'];
const CALLS = [
  ...(['save', 'save', 'repeat', 'by hand', 'sync', 'reject', 'load', 'erase', 'decide'] as const),
  ...(['answer', 'answer', 'colleague'] as const),
];
const PLACES = ['a', 'b', 'at.x', 'at.y', 'line', 'add line', 'remove line', 'back'] as const;

const typing = fc.record({ who: fc.nat(1), place: fc.constantFrom(...PLACES), which: fc.nat(2) });
const step = fc.record({
  ...{ call: fc.constantFrom(...CALLS), who: fc.nat(1), isPatient: fc.boolean() },
  typed: fc.array(typing, { maxLength: 2 }),
});
const story = fc.record({
  ...{ isKeyed: fc.boolean(), isTagged: fc.boolean(), isPatch: fc.boolean(), isConfirmed: fc.boolean() },
  areNew: fc.tuple(fc.boolean(), fc.boolean()),
  fates: fc.array(fc.record({ fate: fc.constantFrom(...FATES), isSlow: fc.boolean() }), { maxLength: 12 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
type Typing = typeof typing extends fc.Arbitrary<infer T> ? T : never;

class Place extends Model.define({ fields: { x: 'string', y: 'string', z: 'string' } }) {}
class Line extends Model.define({ fields: { id: 'int', name: 'string', text: 'string' } }) {}
class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', a: 'string', b: 'string', c: 'string', at: embed(Place), lines: embed([Line]) },
  proxy: { type: 'rest', url: 'http://notes.test/notes', noCache: false, dialect: plain() },
}) {}

/** Lets all that is ready happen. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

const isUnsaved = ({ dirty, phantom, erased }: Note) => !erased && (dirty || phantom);

/** Two records of a store, the server, and what the reference says about both. */
class World {
  readonly server: FaultServer = new FaultServer();
  readonly store: Store<Note>;
  readonly notes: readonly Note[];
  readonly references: readonly Reference[];
  readonly calls: Promise<unknown>[] = [];
  /** Events that must not have happened. */
  readonly broken: string[] = [];
  private readonly rowIds: (number | undefined)[];
  private readonly used = [new Map<string, string[]>(), new Map<string, string[]>()] as const;
  private readonly byKey = new Map<string, string>();
  private count = 0;

  constructor(story: Story) {
    const { isKeyed, isTagged, isPatch, isConfirmed, areNew, fates } = story;
    const { server } = this;
    server.fates = [...fates];
    const use = [
      ...(isKeyed ? [idempotency()] : []),
      ...(isTagged ? [etags(), conflicts()] : []),
      ...(isConfirmed ? [confirm()] : []),
    ];
    const bound = Note.with({
      proxy: { use, fetch: server.fetch, actionMethods: { update: isPatch ? 'PATCH' : 'PUT' } },
    });
    this.rowIds = areNew.map((isNew, i) => (isNew ? undefined : i + 1));
    const initial = (i: number) => ({
      ...{ a: `a${i}`, b: `b${i}`, at: { x: `x${i}`, y: `y${i}` } },
      lines: ['p', 'q'].map((name) => ({ name: `${name}${i}`, text: `t${i}` })),
    });
    const rowOf = (i: number): Row => {
      const { a, b, at, lines } = initial(i);
      const withIds = lines.map((line, n) => ({ id: 10 * i + n + 1, ...line }));
      return { id: i + 1, a, b, c: 'c0', at: { ...at, z: 'z0' }, lines: withIds };
    };
    this.store = new Store({ model: bound, pageSize: 0 });
    this.notes = areNew.map((isNew, i) => {
      if (isNew) return new bound(initial(i) as never) as Note;
      server.rows.set(i + 1, rowOf(i));
      return bound.fromRow(structuredClone(rowOf(i))) as Note;
    });
    this.store.add(...this.notes);
    this.references = this.notes.map((note) => new Reference(slotsOf(note)));
    server.onSend = ({ method, url, text, key, body, id }) => {
      if (method === 'DELETE') return;
      const who = this.whose(body, id);
      if (isPatch && method === 'PATCH' && 'c' in body) this.broken.push(`sent ${text}, in which c was not edited`);
      if (key !== null && this.byKey.get(key) && this.byKey.get(key) !== `${method} ${url} ${text}`)
        this.broken.push(`under one key: ${this.byKey.get(key)}, then ${method} ${url} ${text}`);
      if (key !== null) this.byKey.set(key, `${method} ${url} ${text}`);
      this.mayNot(() => this.references[who]?.send(slotsOf(body)));
    };
    server.onRead = (id) => {
      const who = this.rowIds.indexOf(id ?? Number.NaN);
      if (this.notes[who]?.$.saving) this.references[who]?.begin();
    };
    server.onTake = ({ body, id }, row) => {
      const who = this.whose(body, id);
      if (id === undefined && this.rowIds[who] !== undefined && isKeyed) this.broken.push('created twice');
      this.rowIds[who] = row.id;
      this.references[who]?.take(slotsOf(body));
    };
  }

  /** Which of the two records a request is about: values say so in their last character. */
  private whose(body: Partial<Row>, id: number | undefined): number {
    const known = this.rowIds.indexOf(id ?? Number.NaN);
    return known >= 0 ? known : Number(String(slotsOf(body).values().next().value).at(-1));
  }

  private mayNot(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.broken.push((error as Error).message);
    }
  }

  /** The user types. Each value is new, but for `back`, which sets a field to an earlier value. */
  type({ who, place, which }: Typing): void {
    const note = this.notes[who] as Note;
    if (note.erased) return;
    this.count += 1;
    const value = `v${this.count}.${who}`;
    const reference = this.references[who] as Reference;
    const before = slotsOf(note);
    const line = note.lines[which % Math.max(1, note.lines.length)];
    let removed: string | undefined;
    if (place === 'a' || place === 'b') note[place] = value;
    else if (place === 'at.x') note.at.x = value;
    else if (place === 'at.y') note.at.y = value;
    else if (place === 'line' && line) line.text = value;
    else if (place === 'add line') note.lines = [...note.lines, { name: `n${value}`, text: value }] as never;
    else if (place === 'remove line' && line) {
      removed = `line ${line.name}`;
      note.lines = note.lines.filter((each) => each !== line) as never;
    } else if (place === 'back') {
      const slot = (['a', 'b'] as const)[which % 2] as 'a' | 'b';
      const earlier = this.used[who as 0 | 1].get(slot) ?? [`${slot}${who}`];
      note[slot] = earlier.at(-2) ?? (earlier[0] as string);
      reference.type(new Map([[slot, note[slot]]]));
    }
    const now = slotsOf(note);
    const changed = [...now].filter(([slot, each]) => before.get(slot) !== each);
    for (const [slot, each] of changed) {
      const { used } = this;
      used[who as 0 | 1].set(slot, [...(used[who as 0 | 1].get(slot) ?? [`${slot}${who}`]), String(each)]);
    }
    reference.type(new Map(changed), removed);
  }

  call(name: (typeof CALLS)[number], who: number): void {
    const note = this.notes[who] as Note;
    const { server } = this;
    if (name === 'answer') server.release();
    else if (name === 'sync') this.sync();
    else if (name === 'colleague')
      server.change(this.rowIds[who] ?? 0, (row) => {
        row.c = `c${(this.count += 1)}`;
        row.at.z = `z${this.count}`;
      });
    else if (note.erased) return;
    else if (name === 'save') this.save(who);
    else if (name === 'repeat') this.save(who, true);
    else if (name === 'by hand' && note.$.unconfirmed && !note.$.saving) this.settleByHand(who);
    else if (name === 'reject') {
      note.reject();
      this.mayNot(() => this.references[who]?.reject(slotsOf(note)));
    } else if (name === 'load' && !note.phantom) this.watch(note.load());
    else if (name === 'erase' && who === 1) this.watch(note.erase());
    else if (name === 'decide' && note.$.error instanceof ConflictError && !note.$.saving)
      this.watch(note.$.error.keepMine());
  }

  private settleByHand(who: number): void {
    decide(this.notes[who] as Note, this.server.rows.get(this.rowIds[who] ?? 0) ?? null);
  }

  private save(who: number, repeat: boolean = false): void {
    const note = this.notes[who] as Note;
    const shown = slotsOf(note);
    const reference = this.references[who] as Reference;
    const number = reference.ask(shown, note.$.saving);
    const saving = note
      .save({ repeat })
      .then(() => !note.erased && this.mayNot(() => reference.resolve(number, shown)));
    this.watch(saving);
  }

  private sync(): void {
    for (const [who, note] of this.notes.entries())
      if (!note.erased) this.references[who]?.ask(slotsOf(note), note.$.saving);
    this.watch(this.store.sync());
  }

  private watch(call: Promise<unknown>): void {
    this.calls.push(call.catch(() => undefined));
  }

  check(): void {
    for (const [who, note] of this.notes.entries())
      if (!note.erased) this.mayNot(() => this.references[who]?.check(slotsOf(note)));
  }

  /** Answers everything, and decides what only the application can decide. */
  async settle(): Promise<void> {
    this.server.recover();
    while (this.calls.length > 0) await Promise.all(this.calls.splice(0));
    for (const [who, note] of this.notes.entries()) {
      if (note.$.unconfirmed) this.settleByHand(who);
      if (note.$.error instanceof ConflictError) this.call('decide', who);
    }
    await Promise.all(this.calls.splice(0));
    this.check();
  }

  /** Saves the rest. Returns what the user saw before that. */
  async end(): Promise<readonly Slots[]> {
    await this.settle();
    // After a save without a response and a `reject()`, only a read tells what the server has.
    for (const who of this.notes.keys()) this.call('load', who);
    await this.settle();
    const shown = this.notes.map((note) => slotsOf(note));
    for (let round = 0; round < 4 && (round === 0 || this.notes.some(isUnsaved)); round += 1) {
      this.sync();
      await this.settle();
    }
    return shown;
  }
}

async function play(given: Story): Promise<void> {
  const world = new World(given);
  for (const { call, who, typed, isPatient } of given.steps) {
    world.call(call, who);
    if (isPatient) await tick();
    for (const each of typed) world.type(each);
    world.check();
    await tick();
    world.check();
    expect(world.broken).toEqual([]);
  }
  const shown = await world.end();
  expect(world.broken).toEqual([]);
  for (const [who, note] of world.notes.entries()) {
    if (note.erased) continue;
    expect([note.dirty, note.$.saving]).toEqual([false, false]);
    expect(slotsOf(note)).toEqual(shown[who]);
    expect(slotsOf(world.server.rows.get(note.id) as Row)).toEqual(shown[who]);
  }
}

describe('what is sent', () => {
  test('is what was saved, and what was saved is sent', async () => {
    await fc.assert(fc.asyncProperty(story, play), { numRuns: 150 });
  });
});

describe('a create under one key', () => {
  const move = fc.constantFrom('save', 'save with parameters', 'save elsewhere', 'sync', 'other tenant', 'type');
  const lossy = fc.array(fc.constantFrom<Fate>('done', 'refused', 'lost before', 'lost after'), { maxLength: 8 });

  test('is the same request, whatever tenant, parameters and values the application has since', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), lossy, async (moves, fates) => {
        const server = new FaultServer();
        server.fates = fates.map((fate) => ({ fate, isSlow: false }));
        const requests = new Map<string, Set<string>>();
        server.onSend = ({ method, url, text, key }) => {
          if (key === null) return;
          requests.set(key, (requests.get(key) ?? new Set()).add(`${method} ${url} ${text}`));
        };
        let count = 0;
        const bound = Note.with({
          proxy: {
            ...{ url: 'http://notes.test/{tenant}', use: [idempotency()], fetch: server.fetch },
            pathParams: () => ({ tenant: `tenant${count}` }),
            extraParams: () => ({ team: `team${count}` }),
          },
        });
        const store = new Store({ model: bound, pageSize: 0 });
        const [note] = store.add({ a: 'a0', at: { x: 'x0' }, lines: [{ name: 'p', text: 't' }] } as never) as [Note];
        for (const [at, each] of moves.entries()) {
          if (each === 'other tenant') count += 1;
          else if (each === 'type') note.set({ a: `a${at}`, b: `b${at}` });
          else {
            const params = { call: at };
            const calls = {
              save: () => note.save(),
              'save with parameters': () => note.save({ params, headers: { 'X-Call': `${at}` } }),
              'save elsewhere': () => note.save({ url: `http://notes.test/call${at}` }),
              sync: () => store.sync({ params }),
            };
            await calls[each]().catch(() => undefined);
          }
        }
        for (const [key, sent] of requests) expect([key, [...sent]]).toEqual([key, [[...sent][0]]]);
        // A create that was refused may be made again, under a new key; no create makes two rows.
        expect(server.rows.size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
});
