import { email, length, Model, plain, presence, range } from 'repose';

/** The model of the screens with an input of each kind. */
export class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    note: { type: 'string', allowNull: true },
    price: { type: 'number', allowNull: true, validators: [range({ min: 0.5, max: 1000 })] },
    express: 'boolean',
    due: { type: 'date', allowNull: true, validators: [range({ min: new Date('2026-01-01') })] },
    at: { type: 'date', allowNull: true, validators: [range({ min: new Date('2026-01-01') })] },
    size: { type: 'enum', values: ['S', 'M'] as const },
    mail: { type: 'string', validators: [presence(), email(), length({ max: 40 })] },
  },
  proxy: { type: 'rest', url: '/api/orders', dialect: plain() },
}) {}

const row = {
  ...{ note: null, price: 12, express: false, due: '2026-11-23T00:00:00Z', at: '2026-11-23T00:00:00Z' },
  ...{ size: 'S', mail: 'ada@example.com' },
};

export const order = Order.fromRow({ id: 7, ...row });

/** The options of the form. A test says in the session of the page whether the form saves by itself. */
export const formOptions = { autosave: Number(sessionStorage.getItem('autosave')) || undefined };

declare global {
  interface Window {
    order: Order;
  }
}

window.order = order;

/** The values of an order for a test, in one text. */
export function valuesOf(values: object): string {
  return JSON.stringify(values);
}
