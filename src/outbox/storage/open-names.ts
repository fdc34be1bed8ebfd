import { OutboxError } from '../outbox-error.js';

/** Names the list of open databases, also for a second copy of the package in the page. */
const OPEN = Symbol.for('repose.outbox.open');

/** Keeps a page from opening the same database twice. The list of open databases is kept at the page's `indexedDB`. */
export class OpenNames {
  private added: { readonly names: Set<string>; readonly name: string } | undefined = undefined;

  /** Throws `OutboxError` (`outbox-opened-twice`) if the database is open in this page. */
  add(name: string): void {
    const factory = globalThis.indexedDB as (IDBFactory & { [OPEN]?: Set<string> }) | undefined;
    // Opening the database reports that there is none.
    if (!factory) return;
    if (!factory[OPEN]) Object.defineProperty(factory, OPEN, { value: new Set() });
    const names = factory[OPEN] as Set<string>;
    if (names.has(name)) throw new OutboxError('outbox-opened-twice', { what: `The database '${name}'` });
    names.add(name);
    this.added = { names, name };
  }

  /** Takes the name off the list. */
  remove(): void {
    this.added?.names.delete(this.added.name);
    this.added = undefined;
  }
}
