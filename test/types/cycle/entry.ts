import { Model, reference } from 'repose';
import { Invoice } from './invoice.js';
import { Team } from './team.js';
export class Entry extends Model.define({
  name: 'entry',
  fields: { id: 'int', invoiceId: reference('int'), copyId: reference('int'), accountId: reference('int'), text: 'string', amount: 'int' },
}) {
  static override references() { return { invoiceId: { model: Invoice, nested: 'entries' }, copyId: Invoice, accountId: Team }; }
}
