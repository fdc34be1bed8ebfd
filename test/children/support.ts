import { Model, plain, reference } from 'repose';
import { useRestServer } from '../helpers/use-rest-server.js';

export { accepting } from '../sync/support.js';

export const server: ReturnType<typeof useRestServer> = useRestServer();

export class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

/** A line with an address below its order. */
export class Line extends Model.define({
  name: 'line',
  fields: { id: 'int', orderId: reference('int'), sku: 'string' },
  proxy: server.proxy('/orders/{orderId}/lines', { dialect: plain() }),
}) {
  static override references(): { orderId: { model: typeof Order; nested: string } } {
    return { orderId: { model: Order, nested: 'lines' } };
  }
}

/** A remark with an address of its own. */
export class Remark extends Model.define({
  name: 'remark',
  fields: { id: 'int', orderId: reference('int'), text: 'string' },
  proxy: server.proxy('/remarks', { dialect: plain() }),
}) {
  static override references(): { orderId: typeof Order } {
    return { orderId: Order };
  }
}

/** A transfer from one order to another. */
export class Transfer extends Model.define({
  name: 'transfer',
  fields: { id: 'int', fromId: reference('int'), toId: reference('int') },
  proxy: server.proxy('/transfers', { dialect: plain() }),
}) {
  static override references(): { fromId: typeof Order; toId: typeof Order } {
    return { fromId: Order, toId: Order };
  }
}

/** `POST /orders {"name":"a"}`, one per request. */
export function sentLines(): string[] {
  return server.requests.map(({ method, url, text }) => [method, url, text].filter(Boolean).join(' '));
}
