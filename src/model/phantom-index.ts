import type { InnerRecord } from './record.js';

/** Finds records by the temporary ids that they were made with, for as long as somebody holds them. */
export class PhantomIndex {
  private readonly refs: Map<string, WeakRef<InnerRecord>> = new Map();
  private room = 1024;

  add(id: unknown, record: InnerRecord): void {
    const { refs } = this;
    if (refs.size >= this.room) {
      for (const [key, ref] of refs) if (!ref.deref()) refs.delete(key);
      this.room = Math.max(1024, refs.size * 2);
    }
    refs.set(String(id), new WeakRef(record));
  }

  /** The record that was made with a temporary id; it may have been saved since. */
  get(id: unknown): InnerRecord | undefined {
    return this.refs.get(String(id))?.deref();
  }
}
