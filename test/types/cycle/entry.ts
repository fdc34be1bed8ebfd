import { reference } from 'repose';
import { AppModel } from './children.js';
import { Invoice } from './invoice.js';
import { Team } from './team.js';
export class Entry extends AppModel.define({
  name: 'entry',
  fields: { id: 'int', invoiceId: reference('int'), copyId: reference('int'), accountId: reference('int'), text: 'string', amount: 'int' },
}) {
  static override references() { return { invoiceId: { model: Invoice, nested: 'entries' }, copyId: Invoice, accountId: Team }; }
}
