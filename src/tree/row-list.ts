import { countOf, countWhile, cutChunks, joinChunks } from '../store/chunks.js';
import { type Place, SortedList } from '../store/sorted-list.js';

/** A sorted list that also takes and gives away runs: items that follow each other without another one between them. */
export class RowList<T> extends SortedList<T> {
  /** Inserts a run. Costs the copy of one chunk, and the chunks of the run. */
  insertRun(items: readonly T[]): void {
    const [first] = items;
    if (first === undefined) return;
    if (this.touched) for (const item of items) this.touch(item, false);
    const { chunk, at } = this.count > 0 ? this.placeFor(first) : { chunk: 0, at: 0 };
    const around = this.chunks[chunk] ?? [];
    this.replace(chunk, 1, cutChunks([...around.slice(0, at), ...items, ...around.slice(at)]));
    this.count += items.length;
  }

  /** Deletes the run that begins at a place and ends with the last item for which `isInside` is true; it is true for all items before that one. */
  deleteRun({ chunk, at }: Place, isInside: (item: T) => boolean): void {
    const behind = this.chunks.slice(chunk);
    const whole = countWhile(behind.length, (i) => isInside((behind[i] as readonly T[]).at(-1) as T));
    const changed = behind.slice(0, whole + 1);
    const last = behind[whole] ?? [];
    const end = countWhile(last.length, (i) => isInside(last[i] as T));
    const length = countOf(changed) - last.length + end;
    if (this.touched) for (const item of joinChunks(changed).slice(at, length)) this.touch(item, true);
    const kept = [...(behind[0] as readonly T[]).slice(0, at), ...last.slice(end)];
    this.replace(chunk, changed.length, cutChunks(kept));
    this.count -= length - at;
  }
}
