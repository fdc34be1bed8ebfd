import { AppModel } from './children.js';
import { Invoice } from './invoice.js';
import { Team } from './team.js';
export class Entry extends AppModel.define({
  name: 'entry',
  fields: { id: 'int', invoiceId: 'int', copyId: 'int', accountId: 'int', text: 'string', amount: 'int' },
}) {
  static override references() { return { invoiceId: { model: Invoice, nested: 'entries' }, copyId: Invoice, accountId: Team }; }
}
