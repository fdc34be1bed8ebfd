import { AddressError, type Batch, childrenOf, isDataError, type Model, Operation, Store, saveGraph } from 'repose';
import { TreeStore } from 'repose/tree';
import { Category as BaseCategory, Line as BaseLine, Order as BaseOrder, Task as BaseTask } from '../models.js';
import { type Exchange, WatchedProxy } from '../watched-proxy.js';
import type { Printer } from './printer.js';
import { describeState } from './state.js';
import { shorten } from './text.js';

/** Options of the tour. */
export interface TourOptions {
  /** The origin of the server. */
  url: string;
  printer: Printer;
}

/** Creates, edits and erases records over real HTTP: each step prints the call, the explained request, the response and the record. */
export async function runTour({ url, printer }: TourOptions): Promise<void> {
  let requests = 0;
  let bodyLines = 2;
  const watch = (exchange: Exchange) => {
    if (exchange.operation.response) requests += 1;
    printer.exchange(exchange, bodyLines);
  };
  const proxy = { type: WatchedProxy, baseUrl: url, watch } as const;
  const Task = BaseTask.with({ proxy });
  const show = (task: BaseTask) => {
    printer.line();
    printer.block('record', describeState(task));
  };

  printer.step('A new record is a phantom', 'It has a temporary id, and nothing is sent until it is saved.');
  printer.call("const task = new Task({ title: 'Water the plants', due: '2026-12-01' });");
  const task = new Task({ title: 'Water the plants', due: '2026-12-01' });
  show(task);

  printer.step(
    'Saving a phantom creates it',
    'POST to the collection, without the temporary id. The response brings the real one.',
  );
  printer.call('await task.save();');
  await task.save();
  show(task);

  printer.step('Reading one by its id', 'The row has members that the model does not declare; they are kept.');
  printer.call('const seven = await Task.load(7);');
  const seven = await Task.load(7);
  show(seven);

  printer.step(
    'An edit stays on top of what was read',
    'Nothing is sent; setting the field back would clear the mark.',
  );
  printer.call("seven.title += ', with care';");
  seven.title += ', with care';
  show(seven);

  printer.step(
    'Saving it puts the whole row back',
    'PUT replaces a row: all of it travels as it came, with the edit written over it.',
  );
  printer.call('await seven.save();');
  const edited = Object.keys(seven.$.modified);
  const declared = Object.keys(seven.$.data);
  bodyLines = 10;
  await seven.save({
    success: (_, { request }) => showBody(printer, Object.keys(request?.body ?? {}), edited, declared),
  });
  bodyLines = 2;
  show(seven);

  printer.step(
    'Somebody else was faster',
    'If-Match lets the server refuse to overwrite a newer row; merge() combines the edits of both.',
  );
  printer.call(
    [
      '// Meanwhile, somebody else sets the priority of task 7 to 5.',
      'seven.done = !seven.done;',
      'try {',
      '  await seven.save();',
      '} catch (error) {',
      "  if (!isDataError(error) || error.code !== 'conflict') throw error;",
      '  await error.merge();',
      '}',
    ].join('\n'),
  );
  await fetch(`${url}/api/tasks/7`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ priority: 5 }),
  });
  seven.done = !seven.done;
  try {
    await seven.save();
  } catch (error) {
    if (!isDataError(error) || error.code !== 'conflict') throw error;
    await error.merge();
  }
  show(seven);

  printer.step(
    'A store loads pages',
    'The server sorts and filters; the store holds one page and knows how many rows there are.',
  );
  printer.call(
    [
      'const tasks = new Store({',
      '  model: Task, pageSize: 5, remoteSort: true, remoteFilter: true,',
      "  sorters: [{ property: 'due', direction: 'DESC' }],",
      "  filters: [{ property: 'title', operator: 'like', value: 'report' }],",
      '});',
      'await tasks.load();',
    ].join('\n'),
  );
  const tasks = new Store({
    model: Task,
    pageSize: 5,
    remoteSort: true,
    remoteFilter: true,
    sorters: [{ property: 'due', direction: 'DESC' }],
    filters: [{ property: 'title', operator: 'like', value: 'report' }],
    concurrency: 1, // so that the requests are printed in order
  });
  await tasks.load();
  printer.line();
  printer.block('store', [
    `page ${tasks.currentPage} · ${tasks.count} of ${tasks.total} records`,
    ...[...tasks].map(
      (each) => `${String(each.id).padStart(6)}  ${each.due}  priority ${each.priority}  ${each.title}`,
    ),
  ]);

  printer.step(
    'One sync writes all that is pending',
    'One new, two edited, one removed. The server refuses one; the others are written all the same.',
  );
  const [first, second, third] = tasks.getRange(0, 3) as [BaseTask, BaseTask, BaseTask];
  printer.call(
    [
      'const [first, second, third] = tasks;',
      "tasks.add({ title: 'Report to the board' });",
      'first.done = !first.done;',
      'second.priority = 9;',
      'tasks.remove(third);',
      'const batch = await tasks.sync();',
    ].join('\n'),
  );
  tasks.add({ title: 'Report to the board' });
  first.done = !first.done;
  second.priority = 9;
  tasks.remove(third);
  showOutcomes(printer, await tasks.sync());
  show(second);

  printer.step('What was refused waits for its correction', 'Only what is still pending is sent again.');
  printer.call('second.priority = 5;\nawait tasks.sync();');
  second.priority = 5;
  showOutcomes(printer, await tasks.sync());
  show(second);

  printer.step('Erasing', 'DELETE of the one address; the record can still be read, but not changed or sent.');
  printer.call('await task.erase();');
  await task.erase();
  show(task);

  const Order = BaseOrder.with({ proxy });
  const Line = BaseLine.with({ proxy });
  printer.step(
    'An order is saved with its lines',
    'The lines refer to an order that has no id yet: it is created first, and they get its id.',
  );
  printer.call(
    [
      "const order = new Order({ customerId: 3, placed: '2026-11-02' });",
      'const lines = childrenOf(order, Line);',
      "lines.add({ article: 'Oak desk', price: '480.00' });",
      "lines.add({ article: 'Gift wrap', price: '2.50' });",
      'const saved = await saveGraph(order);',
    ].join('\n'),
  );
  const order = new Order({ customerId: 3, placed: '2026-11-02' });
  const lines = childrenOf(order, Line);
  lines.add({ article: 'Oak desk', price: '480.00' });
  lines.add({ article: 'Gift wrap', price: '2.50' });
  showOutcomes(printer, await saveGraph(order, { concurrency: 1 }));
  printer.line();
  printer.block(
    'lines',
    [...lines].map((line) => `order ${line.orderId}  ${line.quantity} × ${line.article}, ${line.price} each`),
  );

  printer.step('A tree of categories', 'One load brings all of them; the list has the rows that are visible.');
  printer.call(
    [
      "const tree = new TreeStore({ model: Category, sorters: ['name'] });",
      'await tree.load();',
      "tree.move(find('Outdoor lamps'), find('Lamps'));",
      "await tree.expand(find('Decoration'));",
      "await tree.expand(find('Lamps'));",
      'await tree.sync();',
    ].join('\n'),
  );
  const tree = new TreeStore({ model: BaseCategory.with({ proxy }), sorters: ['name'] });
  await tree.load();
  const find = (name: string) => [...tree.store].find((category) => category.name === name) as BaseCategory;
  tree.move(find('Outdoor lamps'), find('Lamps'));
  await tree.expand(find('Decoration'));
  await tree.expand(find('Lamps'));
  showOutcomes(printer, await tree.sync());
  printer.line();
  printer.block(
    'tree',
    tree.list
      .get()
      .slice()
      .map((category) => lineOf(tree, category)),
  );

  printer.step(
    'A dangerous request is never sent',
    'An id that leads out of its collection, and a DELETE that names no record.',
  );
  printer.call("await Task.load('..');");
  printer.block('error', [await refusalOf(Task.load('..'))]);
  printer.line();
  printer.call("await Task.proxy.erase(new Operation({ action: 'destroy' }));");
  printer.block('error', [await refusalOf(Task.proxy.erase(new Operation({ action: 'destroy' })))]);

  printer.line();
  printer.line(printer.style.good(`The tour is over: ${requests} requests, every part of them explained.`));
}

/** Prints which members of a body were edited, which came from the server, and which of these no field declares. */
function showBody(
  printer: Printer,
  sent: readonly string[],
  edited: readonly string[],
  declared: readonly string[],
): void {
  printer.line();
  printer.block('body', [
    `edited      ${edited.join(', ')}`,
    `as it came  ${sent.filter((name) => declared.includes(name) && !edited.includes(name)).join(', ')}`,
    `undeclared  ${sent.filter((name) => !declared.includes(name)).join(', ')}`,
  ]);
}

/** The name and code of the error that a call must end with. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AddressError) return `${error.name}, code '${error.code}'`;
  throw error ?? new Error('Nothing was refused');
}

/** A visible category: its sign tells whether it is expanded, and the space before it how deep it is. */
function lineOf(tree: TreeStore<BaseCategory>, category: BaseCategory): string {
  const { depth = 0, leaf, expanded } = tree.nodeOf(category) ?? {};
  const sign = leaf ? ' ' : expanded ? '-' : '+';
  return `${'  '.repeat(depth)}${sign} ${category.name}`;
}

function showOutcomes(printer: Printer, { outcomes }: Pick<Batch<Model>, 'outcomes'>): void {
  printer.line();
  printer.block(
    'outcomes',
    outcomes.map(({ action, record, error }) => {
      const line = `${action.padEnd(8)} ${String(record.getId()).padStart(5)}  `;
      return error
        ? `${line}${printer.style.bad('refused')}  ${shorten(error.message, 60)}`
        : `${line}${printer.style.good(action === 'destroy' ? 'erased' : 'saved')}`;
    }),
  );
}
