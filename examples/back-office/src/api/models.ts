import { decimal, embed, Model, plain, presence, range, reference, Store, safeWrites } from 'repose';
import { indexedDbStorage, memoryStorage, Outbox } from 'repose/outbox';
import { baseUrl } from './base-url';
import { serve } from './server';
import type { SignIn } from './sign-in';

export class Line extends Model.define({
  name: 'line',
  fields: {
    sku: { type: 'string', label: 'Article', validators: [presence({ message: 'is needed' })] },
    count: {
      type: 'int',
      label: 'Count',
      defaultValue: 1,
      validators: [range({ min: 1, message: 'must be at least 1' })],
    },
    price: decimal({ label: 'Price', defaultValue: '0.00' }),
  },
}) {}

export class Customer extends Model.define({
  name: 'customer',
  fields: {
    id: 'int',
    name: { type: 'string', label: 'Name', validators: [presence({ message: 'is needed' })] },
    email: { type: 'string', label: 'E-mail' },
  },
  proxy: { url: '/api/customers' },
}) {}

export class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    number: { type: 'string', label: 'Number', validators: [presence({ message: 'is needed' })] },
    customerId: reference('int', { label: 'Customer', allowNull: true }),
    status: { type: 'enum', values: ['new', 'paid', 'sent'], label: 'Status', defaultValue: 'new' },
    due: { type: 'dateonly', label: 'Due', allowNull: true },
    lines: embed([Line]),
  },
  proxy: { url: '/api/orders' },
}) {
  static override references() {
    return { customerId: Customer };
  }
}

/** The sum of the lines of an order in cents, because prices have two decimals. */
export function centsOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { count, price }) => sum + (count ?? 0) * Math.round(Number(price) * 100), 0);
}

/** The models, lists and outbox of one user: another user never sees them. */
export type Api = ReturnType<typeof createApi>;

export function createApi(signIn: SignIn, send: typeof fetch = serve) {
  const scope = signIn.get().name ?? '';
  const { headers, extension } = signIn.optionsFor(scope);
  const storage = 'indexedDB' in globalThis ? indexedDbStorage('back-office') : memoryStorage();
  const outbox = new Outbox({ scope, storage });
  const proxy = {
    baseUrl,
    fetch: send,
    scope,
    headers,
    dialect: plain(),
    // The server in memory knows a create that is sent twice by its key. Leave `idempotency` out if yours does not.
    use: [safeWrites({ idempotency: true }), extension, outbox],
  };
  const customers = Customer.with({ proxy });
  class Orders extends Order.with({ proxy }) {
    static override references() {
      return { customerId: customers };
    }
  }
  return {
    user: scope,
    outbox,
    Order: Orders,
    Customer: customers,
    orders: new Store({ model: Orders, pageSize: 10, remoteSort: true, remoteFilter: true }),
    customers: new Store({ model: customers, pageSize: 100, sorters: ['name'] }),
  };
}
