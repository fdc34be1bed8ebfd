import { conflicts, decimal, etags, idempotency, length, Model, presence, reference } from 'repose';

/**
 * A task of the demo server. The rows of the server have more members than are declared here (`origin`, `createdAt`, …):
 * a PUT sends them back as they came.
 */
export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [presence(), length({ max: 500 })] },
    done: { type: 'boolean', defaultValue: false },
    // The server accepts 1 to 5. No validator checks this, so that the demo can show a refused save.
    priority: { type: 'int', defaultValue: 3 },
    due: { type: 'dateonly', allowNull: true },
    estimate: { type: 'number', allowNull: true },
  },
  proxy: {
    type: 'rest',
    url: '/api/tasks',
    noCache: false, // the server says which answers may be cached
    reader: { rootProperty: 'data' },
    // A create without a response can be saved again without a duplicate. A PUT replaces the whole row: `etags()` lets the server
    // refuse one that would revert what others have changed, and `conflicts()` combines both sides.
    use: [idempotency(), etags(), conflicts()],
  },
}) {}

/** The models of the shop, whose orders have lines. */
class ShopModel extends Model.with({
  proxy: { type: 'rest', noCache: false, reader: { rootProperty: 'data' }, use: [idempotency()] },
}) {}

/** A customer. */
export class Customer extends ShopModel.define({
  name: 'customer',
  fields: { id: 'int', name: 'string', city: { type: 'string', allowNull: true } },
  proxy: { url: '/api/customers' },
}) {}

/** An order of a customer. */
export class Order extends ShopModel.define({
  name: 'order',
  fields: {
    id: 'int',
    customerId: reference('int'),
    placed: 'dateonly',
    status: { type: 'string', defaultValue: 'open' },
  },
  proxy: { url: '/api/orders' },
}) {
  static override references() {
    return { customerId: Customer };
  }
}

/** A line of an order. The server erases the lines of an order with it. */
export class Line extends ShopModel.define({
  name: 'line',
  fields: {
    id: 'int',
    orderId: reference('int'),
    article: 'string',
    quantity: { type: 'int', defaultValue: 1 },
    price: decimal({ allowNull: true }),
  },
  proxy: { url: '/api/lines' },
}) {
  static override references() {
    return { orderId: Order };
  }
}

/** A category of articles: a tree. */
export class Category extends ShopModel.define({
  name: 'category',
  fields: { id: 'int', name: 'string', parentId: reference('int', { allowNull: true }) },
  proxy: { url: '/api/categories' },
}) {
  static override references() {
    return { parentId: Category };
  }
}
