import { isValidId } from '../http/url.js';
import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';
import { compositeText } from '../util/composite-id.js';

/** An id as the key of a map: `7` and `'7'` are the same key, `'07'` is another. */
export type IdKey = string | number;

/**
 * Finds records by id: by the id that the server knows, and by an edited id that is not saved yet. New records get none of these
 * ids as their temporary ids.
 */
export class IdIndex<M extends Model> {
  private readonly saved: Map<IdKey, M> = new Map();
  private readonly edited: Map<IdKey, M> = new Map();
  private readonly editedIdOf: Map<M, IdKey> = new Map();

  get(id: unknown): M | undefined {
    return this.getSaved(id) ?? this.edited.get(idKeyOf(id) as IdKey);
  }

  /** The record that the server knows by an id; a new record is found by its temporary id. */
  getSaved(id: unknown): M | undefined {
    return this.saved.get(idKeyOf(id) as IdKey);
  }

  /** Whether the index holds no record. */
  get isEmpty(): boolean {
    return this.saved.size + this.edited.size === 0;
  }

  clear(): void {
    for (const map of [this.saved, this.edited, this.editedIdOf]) map.clear();
  }

  /** Adds a record without edits, under the id of its row. Returns false if it replaced another record with that id. */
  addRow(id: unknown, record: M): boolean {
    const key = idKeyOf(id);
    if (key === undefined) return true;
    inner(record)[MODEL].counters.skip(key);
    const { size } = this.saved;
    this.saved.set(key, record);
    return this.saved.size > size;
  }

  add(record: M): void {
    const { saved, edited } = this;
    const [id, editedId] = idsOf(record);
    inner(record)[MODEL].counters.skip(id);
    if (id !== undefined && !(record.phantom && saved.has(id))) saved.set(id, record);
    if (editedId === undefined || edited.has(editedId)) return;
    edited.set(editedId, record);
    this.editedIdOf.set(record, editedId);
  }

  /** Removes a record; `previousId` is the id that the server knew it by before, if that has changed. */
  delete(record: M, previousId: unknown = serverId(record)): void {
    if (this.getSaved(previousId) === record) this.saved.delete(idKeyOf(previousId) as IdKey);
    const editedId = this.editedIdOf.get(record);
    if (editedId === undefined) return;
    this.edited.delete(editedId);
    this.editedIdOf.delete(record);
  }
}

/** The keys of the ids of a record: the id that the server knows, and the edited id if it differs. */
export function idsOf(record: Model): [id: IdKey | undefined, edited: IdKey | undefined] {
  const [id, edited] = [idKeyOf(serverId(record)), idKeyOf(record.getId())];
  return [id, edited === id ? undefined : edited];
}

/**
 * The key of an id; undefined if the id is not valid. Keys are numbers where possible: strings of a million numbers take more
 * memory than the records.
 */
export function idKeyOf(id: unknown): IdKey | undefined {
  if (Number.isSafeInteger(id)) return id === 0 ? 0 : (id as number);
  if (!isValidId(id)) return undefined;
  const text = textOf(id);
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** The id by which the server knows a record; for a new record, its temporary id. */
export function serverId(record: Model): unknown {
  return inner(record)[MODEL].serverId(inner(record));
}

/** The text of an id; undefined for an object that has none. */
function textOf(id: unknown): string | undefined {
  try {
    return Array.isArray(id) ? compositeText(id) : String(id);
  } catch {
    return undefined;
  }
}
