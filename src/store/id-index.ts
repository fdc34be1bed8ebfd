import { isValidId } from '../http/url.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';

/** Records by the text of their ids: the one that the server knows, and one that is being edited in (H6). */
export class IdIndex<M extends BaseModel> {
  private readonly saved: Map<string, M> = new Map();
  private readonly edited: Map<string, M> = new Map();
  private readonly editOf: Map<M, string> = new Map();

  get(id: unknown): M | undefined {
    return this.getSaved(id) ?? this.edited.get(String(id));
  }

  /** The record that the server knows by an id; of new ones, by the temporary id. */
  getSaved(id: unknown): M | undefined {
    return this.saved.get(String(id));
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
    if (this.getSaved(previousId) === record) this.saved.delete(String(previousId));
    const now = this.editOf.get(record);
    if (now === undefined) return;
    this.edited.delete(now);
    this.editOf.delete(record);
  }
}

/** The texts of a record's ids: as the server knows it, and as it stands where that differs. */
export function idsOf(record: BaseModel): [id: string | undefined, edited: string | undefined] {
  const [id, now] = [serverId(record), record.getId()].map((each) => (isValidId(each) ? String(each) : undefined));
  return [id, now === id ? undefined : now];
}

function serverId(record: BaseModel): unknown {
  return inner(record)[MODEL].serverId(inner(record));
}
