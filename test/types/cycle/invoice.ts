import { reference } from 'repose';
import type { Store } from 'repose';
import { AppModel } from './children.js';
import { Entry } from './entry.js';
export class Invoice extends AppModel.define({ name: 'invoice', fields: { id: 'int', lastEntryId: reference('int') } }) {
  static override references() { return { lastEntryId: Entry }; }
  get entries(): Store<Entry> { return Entry.childrenOf(this, { by: 'invoiceId' }); }
}
