import { childrenOf, Model, reference } from 'repose';
import type { Store } from 'repose';
import { Entry } from './entry.js';
export class Invoice extends Model.define({ name: 'invoice', fields: { id: 'int', lastEntryId: reference('int') } }) {
  static override references() { return { lastEntryId: Entry }; }
  get entries(): Store<Entry> { return childrenOf(this, Entry, { by: 'invoiceId' }); }
}
