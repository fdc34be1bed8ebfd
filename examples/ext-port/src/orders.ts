import { childrenOf, Session, through } from 'repose';
import type { TreeStore } from 'repose/tree';
import { type Category, type Customer, Line, Order, type Product, ProductTag, Tag } from './models.js';

/** A new order with its lines, the order first. */
export async function place(
  customer: Customer,
  items: readonly { product: Product; qty: number }[],
  placed: Date,
): Promise<Order> {
  const session = new Session();
  const order = session.create(Order, { customerId: customer.id, placed });
  const lines = childrenOf(order, Line);
  for (const { product, qty } of items) lines.add({ productId: product.id, qty, price: product.price ?? 0 });
  (await session.sync()).orThrow();
  return order;
}

/** An order with its customer and its lines. */
export async function show(id: number) {
  const order = await Order.load(id);
  const customer = await Order.loadReference(order, 'customerId');
  const lines = childrenOf(order, Line);
  await lines.load();
  return { order, customer, lines };
}

/** The sum of the lines that are loaded. */
export function total(order: Order): number {
  return childrenOf(order, Line)
    .getRange()
    .reduce((sum, line) => sum + line.total, 0);
}

/** Gives a tag to a product. */
export async function addTag(product: Product, tag: Tag): Promise<void> {
  const tags = through(product, Tag, ProductTag);
  tags.add(tag);
  (await tags.sync()).orThrow();
}

/** The tags of a product. */
export async function tagsOf(product: Product): Promise<readonly Tag[]> {
  return await through(product, Tag, ProductTag).load();
}

/** Erases an order with its lines. */
export async function cancel(order: Order): Promise<void> {
  await order.erase();
}

/** Moves a category below another one. */
export async function moveCategory(tree: TreeStore<Category>, category: Category, parent: Category): Promise<void> {
  tree.move(category, parent);
  (await tree.sync()).orThrow();
}
