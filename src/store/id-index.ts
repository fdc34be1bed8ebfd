import { isValidId } from '../http/url.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';

/** An id as a key: `7` and `'7'` are one, `'07'` is another (H6). */
export type IdKey = string | number;

/** Records by their ids: the one that the server knows, and one that is being edited in (H6). */
export class IdIndex<M extends BaseModel> {
  private readonly saved: Map<IdKey, M> = new Map();
  private readonly edited: Map<IdKey, M> = new Map();
  private readonly editOf: Map<M, IdKey> = new Map();

  get(id: unknown): M | undefined {
    return this.getSaved(id) ?? this.edited.get(idKeyOf(id) as IdKey);
  }

  /** The record that the server knows by an id; of new ones, by the temporary id. */
  getSaved(id: unknown): M | undefined {
    return this.saved.get(idKeyOf(id) as IdKey);
  }

  /** Whether no record is known by an id. */
  get isEmpty(): boolean {
    return this.saved.size + this.edited.size === 0;
  }

  /** Takes in a record that was never edited, under the id of its row. False where another had that id, which it loses. */
  addRow(id: unknown, record: M): boolean {
    const key = idKeyOf(id);
    if (key === undefined) return true;
    const { size } = this.saved;
    this.saved.set(key, record);
    return this.saved.size > size;
  }

  add(record: M): void {
    const { saved, edited } = this;
    const [id, now] = idsOf(record);
    if (id !== undefined && !(record.phantom && saved.has(id))) saved.set(id, record);
    if (now === undefined || edited.has(now)) return;
    edited.set(now, record);
    this.editOf.set(record, now);
  }

  /** Forgets a record; `previousId` is what the server knew it by, if that has changed. */
  delete(record: M, previousId: unknown = serverId(record)): void {
    if (this.getSaved(previousId) === record) this.saved.delete(idKeyOf(previousId) as IdKey);
    const now = this.editOf.get(record);
    if (now === undefined) return;
    this.edited.delete(now);
    this.editOf.delete(record);
  }
}

/** The keys of a record's ids: as the server knows it, and as it stands where that differs. */
export function idsOf(record: BaseModel): [id: IdKey | undefined, edited: IdKey | undefined] {
  const [id, now] = [idKeyOf(serverId(record)), idKeyOf(record.getId())];
  return [id, now === id ? undefined : now];
}

/** A number where the text of the number is the id. Texts of a million numbers would cost more than the records. */
export function idKeyOf(id: unknown): IdKey | undefined {
  if (Number.isSafeInteger(id)) return id === 0 ? 0 : (id as number);
  if (!isValidId(id)) return undefined;
  const text = String(id);
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** The id that the server knows a record by; of a new one, the temporary id. */
export function serverId(record: BaseModel): unknown {
  return inner(record)[MODEL].serverId(inner(record));
}
