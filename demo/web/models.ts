import {
  conflicts,
  decimal,
  etags,
  formBodies,
  idempotency,
  inclusion,
  json,
  length,
  Model,
  off,
  presence,
  type RestProxyConfig,
  range,
  reference,
  type UploadProgress,
} from 'repose';

/** The states of an order, in the order in which it passes through them. */
export const STATUSES = ['open', 'packed', 'shipped', 'paid', 'cancelled'] as const;

/** How a client reaches the server: its own `fetch`, its token, and its outbox. */
export interface Connection extends Pick<RestProxyConfig, 'fetch' | 'headers' | 'use'> {
  /** Called while an attachment is sent. */
  readonly onProgress: (progress: UploadProgress) => void;
}

// #region models
/** The models of one client. Each client has classes of its own, because each has its own network and its own token. */
export function shopModels({ use = [], onProgress, ...connection }: Connection) {
  class ShopModel extends Model.with({
    proxy: {
      type: 'rest',
      noCache: false,
      reader: { rootProperty: 'data', totalProperty: 'total', etagProperty: 'version' },
      actionMethods: { update: 'PATCH' },
      ...connection,
      // A create may be sent twice, a change of somebody else is never overwritten, and both sides of a conflict are kept.
      use: [idempotency(), etags(), conflicts(), ...use],
    },
  }) {}

  class Customer extends ShopModel.define({
    name: 'customer',
    fields: {
      id: 'int',
      name: { type: 'string', validators: [presence()] },
      city: { type: 'string', allowNull: true },
      orderCount: { type: 'int', persist: false },
      version: { type: 'int', persist: false },
    },
    proxy: { url: '/app/customers' },
  }) {}

  class Category extends ShopModel.define({
    name: 'category',
    fields: {
      id: 'int',
      name: { type: 'string', validators: [presence()] },
      parentId: reference('int', { allowNull: true }),
      leaf: { type: 'boolean', persist: false },
      version: { type: 'int', persist: false },
    },
    proxy: { url: '/app/categories' },
  }) {
    static override references() {
      return { parentId: Category };
    }
  }

  class Order extends ShopModel.define({
    name: 'order',
    fields: {
      id: 'int',
      customerId: reference('int', { label: 'Customer', validators: [presence()] }),
      placed: { type: 'dateonly', validators: [presence()] },
      status: { type: 'string', defaultValue: 'open', validators: [inclusion(STATUSES)] },
      urgent: { type: 'boolean', defaultValue: false },
      note: { type: 'string', allowNull: true, validators: [length({ max: 200 })] },
      categoryId: reference('int', { label: 'Category', allowNull: true }),
      // The server adds up the lines, and joins the names.
      total: decimal({ persist: false }),
      lineCount: { type: 'int', persist: false },
      customerName: { type: 'string', allowNull: true, persist: false },
      categoryName: { type: 'string', allowNull: true, persist: false },
      customerCity: { type: 'string', allowNull: true, persist: false },
      version: { type: 'int', persist: false },
    },
    proxy: { url: '/app/orders' },
  }) {
    static override references() {
      return { customerId: Customer, categoryId: Category };
    }
  }

  class Line extends ShopModel.define({
    name: 'line',
    fields: {
      id: 'int',
      orderId: reference('int'),
      article: { type: 'string', validators: [presence()] },
      quantity: { type: 'int', defaultValue: 1, validators: [range({ min: 1, max: 10_000 })] },
      price: decimal({ defaultValue: '0.00', validators: [presence()] }),
      version: { type: 'int', persist: false },
    },
    proxy: { url: '/app/lines' },
  }) {
    static override references() {
      return { orderId: Order };
    }
  }

  /** A group of orders, as the server counts and adds them up. It has the fields by which orders are filtered, for the same filters. */
  class OrderSum extends ShopModel.define({
    name: 'orderSum',
    fields: {
      id: 'string',
      key: json<string | number | boolean | null>(),
      label: 'string',
      count: 'int',
      total: decimal(),
      customerName: 'string',
      placed: 'dateonly',
      status: 'string',
      urgent: 'boolean',
      note: 'string',
    },
    proxy: { url: '/app/orders/sums', reader: { rootProperty: 'data', totalProperty: 'groups' } },
  }) {}

  // #endregion

  // #region attachment
  class Attachment extends ShopModel.define({
    name: 'attachment',
    fields: {
      id: 'int',
      orderId: reference('int'),
      name: { type: 'string', persist: false },
      size: { type: 'int', persist: false },
      type: { type: 'string', persist: false },
      addedAt: { type: 'date', persist: false },
      content: 'auto',
    },
    proxy: {
      url: '/app/attachments',
      writer: { type: 'multipart' },
      // Browsers tell the progress of an upload only without a `fetch` of the application; an outbox stores no files.
      fetch: undefined,
      use: [formBodies({ progress: onProgress }), off('outbox')],
    },
  }) {
    static override references() {
      return { orderId: Order };
    }
  }
  // #endregion

  // #region change
  class Change extends ShopModel.define({
    name: 'change',
    fields: {
      id: 'int',
      orderId: reference('int'),
      who: 'string',
      when: 'date',
      subject: 'string',
      field: 'string',
      before: { type: 'string', allowNull: true },
      after: { type: 'string', allowNull: true },
    },
    proxy: { url: '/app/changes' },
  }) {
    static override references() {
      return { orderId: Order };
    }
  }
  // #endregion

  return { Customer, Category, Order, OrderSum, Line, Attachment, Change };
}

/** The classes of one client. */
export type ShopModels = ReturnType<typeof shopModels>;
/** A customer of one client. */
export type Customer = InstanceType<ShopModels['Customer']>;
/** A category of one client. */
export type Category = InstanceType<ShopModels['Category']>;
/** An order of one client. */
export type Order = InstanceType<ShopModels['Order']>;
/** A group of orders. */
export type OrderSum = InstanceType<ShopModels['OrderSum']>;
/** A line of an order. */
export type Line = InstanceType<ShopModels['Line']>;
/** A file that belongs to an order. */
export type Attachment = InstanceType<ShopModels['Attachment']>;
/** An entry of the history of an order. */
export type Change = InstanceType<ShopModels['Change']>;
