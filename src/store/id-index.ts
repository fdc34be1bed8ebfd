import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';

/** Records by the text of their ids: the one that the server knows, and one that is being edited in (H6). */
export class IdIndex<M extends BaseModel> {
  private readonly byId: Map<string, M> = new Map();
  private readonly edited: Map<M, string> = new Map();

  get(id: unknown): M | undefined {
    return this.byId.get(String(id));
  }

  add(record: M): void {
    const id = serverId(record);
    if (id !== undefined && id !== null && id !== '') this.byId.set(String(id), record);
    this.addEdited(record);
  }

  /** Forgets a record; `previousId` is what the server knew it by, if that has changed. */
  delete(record: M, previousId: unknown = serverId(record)): void {
    if (this.byId.get(String(previousId)) === record) this.byId.delete(String(previousId));
    const edited = this.edited.get(record);
    if (edited !== undefined && this.byId.get(edited) === record) this.byId.delete(edited);
    this.edited.delete(record);
  }

  private addEdited(record: M): void {
    const id = record.getId();
    if (id === undefined || String(id) === String(serverId(record)) || this.byId.has(String(id))) return;
    this.edited.set(record, String(id));
    this.byId.set(String(id), record);
  }
}

function serverId(record: BaseModel): unknown {
  return inner(record)[MODEL].serverId(inner(record));
}
