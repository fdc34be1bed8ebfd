import { dateFormat, embed, Model, type ProxyRequest, presence, RestProxy, reference } from 'repose';

/** `Shop.proxy.Rest` */
export class ShopProxy extends RestProxy {
  /** The server counts rows, not pages. */
  override buildUrl(request: ProxyRequest): string {
    delete request.params['page'];
    return super.buildUrl(request);
  }
}

/** `Shop.model.Base`: its proxy, and the part that gives `childrenOf()` */
export class ShopModel extends Model.with({
  proxy: { type: ShopProxy, noCache: false, reader: { rootProperty: 'data' } },
}) {}

export class Account extends ShopModel.define({
  name: 'account',
  fields: { id: 'int', iban: 'string', limit: 'number' },
  proxy: { url: '/accounts' },
}) {}

/** It stands in the row of its customer, and has no address of its own. */
export class Address extends ShopModel.define({ name: 'address', fields: { street: 'string', city: 'string' } }) {}

export class Customer extends ShopModel.define({
  name: 'customer',
  fields: {
    id: 'int',
    name: { type: 'string', validators: [presence()] },
    since: { type: 'dateonly', format: dateFormat('d.m.Y') },
    accountId: reference('int'),
    address: embed(Address),
  },
  proxy: { url: '/customers' },
}) {
  static override references() {
    return { accountId: Account };
  }

  get label(): string {
    return `Customer ${this.name}`;
  }
}

export class Employee extends ShopModel.define({
  name: 'employee',
  fields: { id: 'int', name: 'string', active: { type: 'boolean', defaultValue: true } },
  proxy: { url: '/employees' },
}) {}

export class Order extends ShopModel.define({
  name: 'order',
  fields: {
    id: 'int',
    customerId: reference('int'),
    employeeId: reference('int'),
    status: { type: 'string', defaultValue: 'open' },
    placed: { type: 'date', format: dateFormat('timestamp') },
  },
  proxy: { url: '/orders' },
}) {
  static override references() {
    return { customerId: Customer, employeeId: Employee };
  }
}

export class Category extends ShopModel.define({
  name: 'category',
  fields: { id: 'int', parentId: reference('int', { allowNull: true }), name: 'string' },
  proxy: { url: '/categories' },
}) {
  static override references() {
    return { parentId: Category };
  }
}

export class Product extends ShopModel.define({
  name: 'product',
  fields: { id: 'int', name: { type: 'string', sortType: 'textCi' }, price: 'number', categoryId: reference('int') },
  proxy: { url: '/products' },
}) {
  static override references() {
    return { categoryId: Category };
  }
}

export class Line extends ShopModel.define({
  name: 'line',
  fields: {
    id: 'int',
    orderId: reference('int'),
    productId: reference('int'),
    qty: { type: 'int', defaultValue: 1 },
    price: { type: 'number', defaultValue: 0 },
    total: { type: 'number', calculate: (line: { qty: number; price: number }) => line.qty * line.price },
  },
  proxy: { url: '/lines' },
}) {
  static override references() {
    // `parent` of Ext JS: the lines go with their order.
    return { orderId: { model: Order, onErase: 'erase' as const }, productId: Product };
  }
}

export class Tag extends ShopModel.define({
  name: 'tag',
  fields: { id: 'int', label: 'string' },
  proxy: { url: '/tags' },
}) {}

/** `manyToMany: '#Tag'` of a product: the rows that join both */
export class ProductTag extends ShopModel.define({
  name: 'productTag',
  fields: { id: 'int', productId: reference('int'), tagId: reference('int') },
  proxy: { url: '/product-tags' },
}) {
  static override references() {
    return { productId: Product, tagId: Tag };
  }
}
