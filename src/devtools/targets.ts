import { devtoolsMessages } from '../dev/texts.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { type InnerModel, innerModel } from '../model/model-definition.js';
import { DEFINITION, SETTINGS } from '../model/symbols.js';
import type { AnyId } from '../operation/actions.js';
import type { RecordModel } from '../operation/operation-record.js';
import { DataProxy } from '../proxy/data-proxy.js';
import { innerStore } from '../store/inner-store.js';
import type { SharingStore } from '../store/sharing.js';
import { Store } from '../store/store.js';
import { Session } from '../sync/session.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { isObject } from '../util/data-path.js';
import { observe, type ProxyObserver } from './proxy-observers.js';

/** The members of an outbox that an inspector shows. */
export interface InspectedOutbox {
  readonly scope: string;
  readonly entries: readonly object[];
  readonly failed: readonly { readonly key: string; readonly state: string; readonly error: Error }[];
  readonly status: {
    get(): {
      readonly waiting: number;
      readonly failed: number;
      readonly sending: number;
      readonly online: boolean;
      readonly paused: boolean;
      readonly error: unknown;
    };
    subscribe(listener: () => void): () => void;
  };
  on(event: 'change', listener: () => void): () => void;
}

/**
 * A subject of an inspector. A `Session` brings all of its stores and models, those that it meets later included; a store brings its proxy; a
 * model class, such as `User`, its proxy; an `Outbox` what it keeps, and the proxies that send it.
 */
export type InspectTarget = Session | Store<never> | Store<Model> | ModelType<Model> | DataProxy | InspectedOutbox;

/** A store of a session with all its members: a session knows those that it needs. */
export function shownStore(store: SharingStore): Store<Model> {
  return store as unknown as Store<Model>;
}

/** The subjects of one inspector: follows their proxies, and knows their stores, sessions and outboxes. */
export class Targets {
  readonly outboxes: Set<InspectedOutbox> = new Set();
  private readonly sessions: Set<SharedRecords> = new Set();
  /** Stores are held weakly, because a page makes many of them; those that were given are held by the application. */
  private readonly stores: Map<WeakRef<SharingStore>, number> = new Map();
  private readonly seen: WeakSet<object> = new WeakSet();
  private readonly detachers: Set<() => void> = new Set();
  /** The detachers of stores. They hold the store, so the store holds them. */
  private readonly storeDetachers: WeakMap<SharingStore, () => void> = new WeakMap();
  private storesSeen = 0;

  constructor(
    private readonly observer: ProxyObserver,
    /** Called when something of a store, session or outbox may have changed. */
    private readonly changed: () => void,
  ) {}

  /** Throws `DefinitionError` for anything that cannot be inspected. */
  add(target: unknown): void {
    if (target instanceof Session) this.addSession(target);
    else if (target instanceof Store) this.addStore(innerStore(target));
    else if (target instanceof DataProxy) this.addProxy(() => target);
    else if (typeof target === 'function' && DEFINITION in target) this.addModel(target as never);
    else if (isOutbox(target)) this.addOutbox(target);
    else throw new DefinitionError('inspect-target', { value: describe(target) }, { messages: devtoolsMessages });
  }

  /** The stores that still exist, each with its number in the order in which they were seen. */
  get allStores(): readonly { readonly number: number; readonly store: SharingStore }[] {
    const all: { number: number; store: SharingStore }[] = [];
    for (const [ref, number] of this.stores) {
      const store = ref.deref();
      if (store && !shownStore(store).disposed) all.push({ number, store });
      else this.stores.delete(ref);
    }
    return all;
  }

  /** The record of a model with an id, as a store or session shows it. */
  find(model: RecordModel, id: unknown): Model | undefined {
    return this.finder(model)(id);
  }

  /** Finds records of a model by their ids. The stores are looked through once, because a response has many rows. */
  finder(model: RecordModel): (id: unknown) => Model | undefined {
    const finders: ((id: unknown) => Model | undefined)[] = [];
    for (const { store } of this.allStores)
      if (store.definition === model) {
        const shown = shownStore(store);
        finders.push((id) => shown.getById(id as AnyId) as Model | undefined);
      }
    for (const records of this.sessions)
      for (const known of records.knownModels)
        if (innerModel(known as ModelType<Model>)[DEFINITION] === model)
          finders.push((id) => records.ofModel(known as ModelType<Model>).find(id));
    return (id) => {
      for (const find of finders) {
        const record = find(id);
        if (record) return record;
      }
      return undefined;
    };
  }

  dispose(): void {
    for (const detach of [...this.detachers]) detach();
    for (const ref of this.stores.keys()) {
      const store = ref.deref();
      if (store) this.storeDetachers.get(store)?.();
    }
    this.detachers.clear();
    this.sessions.clear();
    this.stores.clear();
    this.outboxes.clear();
  }

  private addSession(session: Session): void {
    if (this.isKnown(session)) return;
    const records = session['records'];
    this.sessions.add(records);
    for (const model of records.knownModels) this.addModel(model as InnerModel);
    for (const store of records.stores) this.addStore(store);
    this.keep(
      records.observers.attach({
        recordChanged: this.changed,
        storeAttached: (store) => this.safely(() => this.addStore(store)),
        modelMet: (model) => this.safely(() => this.addModel(innerModel(model))),
      }),
    );
  }

  private addStore(store: SharingStore): void {
    if (this.isKnown(store)) return;
    this.storesSeen += 1;
    this.stores.set(new WeakRef(store), this.storesSeen);
    // Stores that are gone are forgotten now and then, also if nobody asks for the list.
    if (this.storesSeen % 100 === 0) void this.allStores;
    this.addProxy(() => store.proxy);
    const { changed } = this;
    const detach = store.recordSet.observers.attach({
      statusChanged: changed,
      queryChanged: changed,
      // Not a hook for each record: a load brings up to a million of them.
      recordsShown: changed,
      recordsHidden: changed,
      recordsReplaced: changed,
      storeDisposed: changed,
    });
    this.storeDetachers.set(store, detach);
    this.changed();
  }

  private addModel(model: InnerModel): void {
    if (this.isKnown(model)) return;
    // A model of rows that the application gives itself has no proxy.
    if (model[SETTINGS]?.proxy) this.addProxy(() => model.proxy);
  }

  private addOutbox(outbox: InspectedOutbox): void {
    if (this.isKnown(outbox)) return;
    this.outboxes.add(outbox);
    this.keep(outbox.on('change', this.changed));
    this.keep(outbox.status.subscribe(this.changed));
    for (const proxy of (outbox as { readonly proxies?: readonly DataProxy[] }).proxies ?? [])
      this.addProxy(() => proxy);
  }

  private addProxy(proxyOf: () => DataProxy): void {
    this.safely(() => {
      const proxy = proxyOf();
      const place = proxy['watch'];
      // A proxy shares the place of its watch with those that were made from it.
      if (!this.isKnown(place)) this.keep(observe(proxy, this.observer));
    });
  }

  private keep(detach: () => void): void {
    this.detachers.add(detach);
  }

  private isKnown(subject: object): boolean {
    if (this.seen.has(subject)) return true;
    this.seen.add(subject);
    return false;
  }

  /** A proxy that cannot be made fails where the application uses it, not here. */
  private safely(act: () => void): void {
    try {
      act();
    } catch {
      // The application gets the same error from its own call.
    }
  }
}

function isOutbox(target: unknown): target is InspectedOutbox {
  if (!isObject(target)) return false;
  const { entries, failed, status, extensions } = target as Partial<InspectedOutbox> & {
    readonly extensions?: unknown;
  };
  return Array.isArray(entries) && Array.isArray(failed) && isObject(status) && Array.isArray(extensions);
}
