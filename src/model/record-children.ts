import type { DataError } from '../errors/data-error.js';
import type { OperationConfig } from '../operation/operation.js';
import { type Source, ValueSource } from '../util/value-source.js';

/** Whether the children of a record have pending changes, at one moment. Frozen. */
export interface ChildrenSnapshot {
  /** Whether a store of children has new, edited or removed records. */
  readonly dirty: boolean;
}

/** The children of a record by one reference, in the store that `childrenOf` has made. */
export interface ChildRecords {
  readonly disposed: boolean;
  /** Whether the store has new, edited or removed records. */
  readonly dirty: boolean;
  /** Calls a function when `dirty` may have changed. Returns the function that ends this. */
  watch(changed: () => void): () => void;
}

/** The options of a call that the writes of children take over. */
export type ChildrenCall = Pick<OperationConfig, 'params' | 'headers'> & { readonly signal?: AbortSignal | undefined };

/** The writes of a parent and its children, brought by `childrenOf` with the first store of them. */
export interface ChildrenWrites {
  /** Why the record must neither be erased nor leave its store before it was saved: `onErase: 'restrict'`. */
  eraseRefusal(): DataError | undefined;
  /**
   * Takes new children away, and lets saved ones belong to their former parent, when a record that was never saved leaves its store: they
   * could never be saved below it. `onErase` says for which children.
   */
  leaveUnsaved(): void;
  /** In a fork, shows copies of the children that the original has got since. */
  showCopies(): void;
  /**
   * Prepares the children for the erase of the record, as `onErase` of their references says. Undefined: the erase goes on without them.
   */
  prepareErase(): ErasePlan | undefined;
  /** Writes the children before the record itself is erased. Undefined: there are none to write. Rejects if one of them could not be written. */
  writeBeforeErase(options: ChildrenCall | undefined): Promise<unknown> | undefined;
  /** Writes the record and its children. Rejects if one of them could not be written. */
  save(options: ChildrenCall): Promise<unknown>;
}

/** The part of an erase that comes before it: the writes of children. */
export interface ErasePlan {
  /** Sources of pending changes, as the syncer takes them. */
  readonly sources: readonly object[];
  /** The children that are written, whichever source has them: a session has the records of all its stores. */
  readonly children: ReadonlySet<unknown>;
  /** Why the record must not be erased. */
  readonly refusal: DataError | undefined;
}

/** The children of a record, for each reference to it whose store was made; as a source, whether they have pending changes. */
export class RecordChildren implements Source<ChildrenSnapshot> {
  readonly lists: ChildRecords[] = [];
  /** Undefined while no store was made. */
  writes: ChildrenWrites | undefined = undefined;
  /** Ends the subscriptions to the stores, while this source has listeners. */
  private stops: (() => void)[] | undefined = undefined;
  private readonly source: ValueSource<ChildrenSnapshot> = new ValueSource<ChildrenSnapshot>(
    (previous) => {
      const { dirty } = this;
      return previous?.dirty === dirty ? previous : Object.freeze({ dirty });
    },
    (isWatched) => {
      for (const stop of this.stops ?? []) stop();
      this.stops = isWatched ? this.lists.map((list) => this.watch(list)) : undefined;
    },
  );
  readonly subscribe: Source<ChildrenSnapshot>['subscribe'] = this.source.subscribe;
  readonly get: Source<ChildrenSnapshot>['get'] = this.source.get;

  get dirty(): boolean {
    return this.lists.some((list) => list.dirty);
  }

  add(list: ChildRecords): void {
    const { lists } = this;
    // A store that was disposed of is made anew when it is next asked for.
    for (let at = lists.length - 1; at >= 0; at -= 1) if (lists[at]?.disposed) lists.splice(at, 1);
    lists.push(list);
    this.stops?.push(this.watch(list));
  }

  private watch(list: ChildRecords): () => void {
    return list.watch(() => this.source.update());
  }
}

/** The children of a record, none of whose stores may have been made. */
export function childrenIn(core: { children?: RecordChildren }): RecordChildren {
  return (core.children ??= new RecordChildren());
}
