import { childrenOf, type Store } from 'repose';
import { is } from '../equal.js';
import { Invoice } from './invoice.js';
import { Entry } from './entry.js';
const invoice = new Invoice();
is<Store<Entry>>()(invoice.entries);
is<Store<Entry>>()(childrenOf(invoice, Entry));
is<Store<Entry>>()(childrenOf(invoice, Entry, { by: 'copyId' }));
const name: string | undefined = invoice.entries.getAt(0)?.text; void name;
// @ts-expect-error `amount` is no reference
childrenOf(invoice, Entry, { by: 'amount' });
// @ts-expect-error `accountId` refers to another model
childrenOf(invoice, Entry, { by: 'accountId' });
const owner: Promise<Invoice | undefined> = Entry.loadReference(new Entry(), 'invoiceId'); void owner;
