import { classic, Model, RestProxy } from 'repose';

// The models of an application whose recording becomes a test; relative addresses, as in a page.

const proxy = { type: RestProxy, noCache: true, dialect: classic, reader: { rootProperty: 'data' } };

export class Customer extends Model.define({
  name: 'customer',
  fields: { id: 'int', name: 'string', iban: 'string' },
  proxy: { ...proxy, url: '/customers' },
}) {}

export class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', note: 'string', total: 'number', customerId: 'int' },
  proxy: { ...proxy, url: '/orders' },
}) {}
