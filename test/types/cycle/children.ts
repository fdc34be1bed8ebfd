import { children, Model, type ModelPart, type Store } from 'repose';
import { is } from '../equal.js';
import { Invoice } from './invoice.js';
import { Entry } from './entry.js';
export class AppModel extends Model {
  static override readonly parts: readonly ModelPart[] = [...Model.parts, children];
}
const invoice = new Invoice();
is<Store<Entry>>()(invoice.entries);
is<Store<Entry>>()(Entry.childrenOf(invoice));
is<Store<Entry>>()(Entry.childrenOf(invoice, { by: 'copyId' }));
const name: string | undefined = invoice.entries.first()?.text; void name;
// @ts-expect-error `amount` is no reference
Entry.childrenOf(invoice, { by: 'amount' });
// @ts-expect-error `accountId` refers to another model
Entry.childrenOf(invoice, { by: 'accountId' });
const owner: Promise<Invoice | undefined> = Entry.loadReference(new Entry(), 'invoiceId'); void owner;
