import { OutboxError, type OutboxStorage, type StoredItem } from 'repose/outbox';
import type { Gates } from './gates.js';

/** A change as the walk saw it being appended. */
export interface SeenChange {
  readonly key: number;
  /** The name of the record in the storage. */
  readonly record: string;
  readonly action: string;
  /** The values that it sends. */
  readonly values: Readonly<Record<string, unknown>>;
}

function changeIn(key: number, { record, data }: StoredItem): SeenChange {
  const { change } = JSON.parse(data) as { change: Pick<SeenChange, 'action' | 'values'> };
  return { key, record, action: change.action, values: change.values };
}

/** The steps that the storages of all tabs have done, as the laws need it. */
export class StorageLog {
  readonly appended: SeenChange[] = [];
  /** The outcomes of changes by their keys. */
  readonly outcomes: Map<number, 'sent' | 'refused' | 'dropped'> = new Map();
  /** The number of changes that were appended before these had their outcomes. */
  readonly appendedBefore: Map<number, number> = new Map();
  /** Changes that were removed twice, or that never existed. */
  readonly odd: string[] = [];
}

function stateIn(progress: string | undefined): string {
  return progress === undefined ? 'none' : (JSON.parse(progress) as { state: string }).state;
}

/** A storage of one tab: each step waits before it is done and before its result arrives, and may fail. */
export function walkStorage(
  inner: OutboxStorage,
  tab: object,
  name: string,
  gates: Gates,
  log: StorageLog,
  fails: (what: string) => boolean,
): OutboxStorage {
  const step = async <T>(
    what: string,
    run: () => Promise<T>,
    done: (result: T) => void = () => undefined,
  ): Promise<T> => {
    await gates.pass(`${name}: ${what}`, tab);
    if (what !== 'open' && fails(what)) {
      gates.history.push(`the storage of ${name} fails`);
      throw new OutboxError('outbox-storage', { what, why: 'the walk lets it fail' });
    }
    const result = await gates.work(run);
    done(result);
    await gates.pass(`${name}: ${what} is done`, tab);
    return result;
  };
  return {
    shared: inner.shared,
    open: (problem) => step('open', () => inner.open(problem)),
    append: (items) =>
      step(
        'append',
        () => inner.append(items),
        (keys) => {
          const added = keys.map((key, at) => changeIn(key, items[at] as StoredItem));
          log.appended.push(...added);
          for (const { key, action, values } of added)
            gates.history.push(`  ${key}: ${action} ${JSON.stringify(values)}`);
        },
      ),
    read: (query) => step('read', () => inner.read(query)),
    update: (progress, unchanged) =>
      step(`update ${progress.map((each) => `${each.key} ${stateIn(each.progress)}`).join()}`, () =>
        inner.update(progress, unchanged),
      ),
    remove: (outcome, options) =>
      step(
        `remove ${outcome.keys.join()} (${outcome.type})`,
        () => inner.remove(outcome, options),
        () => {
          for (const key of outcome.keys) {
            const known = log.outcomes.get(key);
            if (known) log.odd.push(`change ${key} was removed as ${known}, and again as ${outcome.type}`);
            log.outcomes.set(key, outcome.type);
            log.appendedBefore.set(key, log.appended.length);
          }
        },
      ),
    prune: (query) => step('prune', () => inner.prune(query)),
    watch: (listener) => inner.watch((change) => gates.later(`${name} is told`, tab, () => listener(change))),
    close: () => inner.close(),
  };
}

/** The tabs of a browser over one storage that is in memory: each is told what the others change. */
export function sharedStorage(inner: OutboxStorage): () => OutboxStorage {
  const listeners = new Map<object, Parameters<OutboxStorage['watch']>[0]>();
  const opening = inner.open(() => undefined);
  return () => {
    const own = {};
    const tell = (scope: string, records: readonly string[]) => {
      for (const [tab, listener] of listeners) if (tab !== own) listener({ scope, records });
    };
    return {
      ...{
        shared: true,
        read: (query) => inner.read(query),
        prune: (query) => inner.prune(query),
        close: async () => undefined,
      },
      open: () => opening,
      append: async (items) => {
        const keys = await inner.append(items);
        tell(
          items[0]?.scope ?? '',
          items.map(({ record }) => record),
        );
        return keys;
      },
      update: async (progress, unchanged) => {
        await inner.update(progress, unchanged);
        tell('a', []);
      },
      remove: async (outcome, options) => {
        await inner.remove(outcome, options);
        tell(outcome.scope, [outcome.record]);
      },
      watch: (listener) => {
        listeners.set(own, listener);
        return () => listeners.delete(own);
      },
    };
  };
}
