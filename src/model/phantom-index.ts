import type { InnerRecord } from './record.js';

/** Finds records by the temporary ids that they were made with, for as long as somebody holds them. */
export class PhantomIndex {
  private readonly refs: Map<string, WeakRef<InnerRecord>> = new Map();
  private readonly gone: FinalizationRegistry<string> = new FinalizationRegistry((key) => {
    // Another record may have been made with the same id.
    if (!this.refs.get(key)?.deref()) this.refs.delete(key);
  });

  add(id: unknown, record: InnerRecord): void {
    const key = String(id);
    this.refs.set(key, new WeakRef(record));
    this.gone.register(record, key);
  }

  /** The record that was made with a temporary id; it may have been saved since. */
  get(id: unknown): InnerRecord | undefined {
    return this.refs.get(String(id))?.deref();
  }
}
