import { liveMessages } from '../dev/texts.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import { innerStore } from '../store/inner-store.js';
import type { Query } from '../store/query.js';
import { receive, refreshStale } from '../store/receive.js';
import { Store } from '../store/store.js';
import type { ReceiveOptions } from '../store/store-config.js';
import { innerSession } from '../sync/inner-session.js';
import { Session } from '../sync/session.js';
import type { Source } from '../util/value-source.js';

/** The receiver of the changes: a store, or the stores and records of a session. */
export interface FeedTarget {
  readonly disposed: boolean;
  readonly query: Query<Model> | undefined;
  /** The model of a change; undefined: the change is of no model of the target. */
  modelOf(name: string | undefined): ModelDefinition | undefined;
  receive(model: ModelDefinition, rows: readonly object[], options: ReceiveOptions<Model>): void;
  /** Says that changes may have been missed. */
  markStale(): void;
  /** Reads again what is on show. */
  refresh(isGap: boolean): Promise<void>;
  /** Whether something was read, or is being read, that may lack changes. */
  readonly hasRead: boolean;
  /** Whether a list lacks rows, or shows some in a wrong place. */
  readonly isStale: boolean;
  /** Calls a function when the target has ended. */
  onEnd(ended: () => void): () => void;
}

/** The target of a feed. Throws `DefinitionError` for anything but a store or a session. */
export function targetOf(given: unknown, models: readonly ModelType<Model>[] | undefined): FeedTarget {
  if (given instanceof Store) return new StoreTarget(given as Store<Model>);
  if (given instanceof Session) return new SessionTarget(given, models);
  throw new DefinitionError('feed-target', { value: describe(given) }, { messages: liveMessages });
}

class StoreTarget implements FeedTarget {
  private readonly definition: ModelDefinition;

  constructor(private readonly store: Store<Model>) {
    this.definition = innerModel(store.model)[DEFINITION];
  }

  get disposed(): boolean {
    return this.store.disposed;
  }

  get query(): Query<Model> {
    return this.store.query;
  }

  get hasRead(): boolean {
    const { hasLoaded, loading } = innerStore(this.store);
    return hasLoaded || loading;
  }

  get isStale(): boolean {
    return isStale(this.store);
  }

  modelOf(name: string | undefined): ModelDefinition | undefined {
    return name === undefined || name === this.definition.name ? this.definition : undefined;
  }

  receive(_: ModelDefinition, rows: readonly object[], options: ReceiveOptions<Model>): void {
    receive(this.store, rows, options);
  }

  markStale(): void {
    receive(this.store, [], { gap: true });
  }

  refresh(isGap: boolean): Promise<void> {
    return readAgain(this, this.store.status, isGap, () => refreshStale(this.store));
  }

  onEnd(ended: () => void): () => void {
    return this.store.status.subscribe(() => this.store.disposed && ended());
  }
}

function isStale(store: object): boolean {
  return innerStore(store as Store<Model>).whyStale !== undefined;
}

/** Reads again what is on show. Loads in flight may lack changes, so they end first: a load in their place would abort them. */
async function readAgain(
  target: FeedTarget,
  status: Source<{ readonly loading: boolean }>,
  isGap: boolean,
  refresh: () => Promise<unknown>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = () => {
      if (status.get().loading) return;
      stop();
      resolve();
    };
    const stop = status.subscribe(check);
    check();
  });
  if (target.disposed) return;
  if (isGap) target.markStale();
  await refresh();
}

class SessionTarget implements FeedTarget {
  readonly query = undefined;
  readonly hasRead = true;
  private readonly definitions: ReadonlyMap<string, [ModelDefinition, ModelType<Model>]>;

  constructor(
    private readonly session: Session,
    models: readonly ModelType<Model>[] | undefined,
  ) {
    if (!models?.length) throw new DefinitionError('feed-models', {}, { messages: liveMessages });
    const named = models.map((model): [string, [ModelDefinition, ModelType<Model>]] => {
      const definition = innerModel(model)[DEFINITION];
      return [definition.name, [definition, model]];
    });
    this.definitions = new Map(named);
  }

  get disposed(): boolean {
    return this.session.disposed;
  }

  get isStale(): boolean {
    return innerSession(this.session).records.stores.some(isStale);
  }

  modelOf(name: string | undefined): ModelDefinition | undefined {
    if (name !== undefined) return this.definitions.get(name)?.[0];
    const [first, ...others] = this.definitions.values();
    return others.length === 0 ? first?.[0] : undefined;
  }

  receive({ name }: ModelDefinition, rows: readonly object[], options: ReceiveOptions<Model>): void {
    const [, model] = this.definitions.get(name) as [ModelDefinition, ModelType<Model>];
    this.session.receive(model, rows, options);
  }

  markStale(): void {
    for (const [, model] of this.definitions.values()) this.session.receive(model, [], { gap: true });
  }

  refresh(isGap: boolean): Promise<void> {
    return readAgain(this, this.session.status, isGap, () => this.session.refreshStale());
  }

  onEnd(ended: () => void): () => void {
    return this.session.status.subscribe(() => this.session.disposed && ended());
  }
}
