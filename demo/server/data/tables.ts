import { atMost, email, filled, oneOf, range, settings } from './checks.js';
import type { Column, Table, TableName } from './table.js';

const teams: Table = {
  name: 'teams',
  singular: 'team',
  columns: [
    { name: 'name', kind: 'text', unique: true, check: filled(200) },
    { name: 'city', kind: 'text', nullable: true, check: atMost(200) },
  ],
};

const users: Table = {
  name: 'users',
  singular: 'user',
  columns: [
    { name: 'name', kind: 'text', check: filled(200) },
    { name: 'email', kind: 'text', unique: true, check: email },
    { name: 'role', kind: 'text', initial: () => 'member', check: oneOf('admin', 'member') },
    { name: 'teamId', kind: 'integer', nullable: true, references: { table: 'teams', onDelete: 'RESTRICT' } },
    { name: 'joined', kind: 'instant', initial: (now) => now },
    { name: 'active', kind: 'boolean', initial: () => true },
    { name: 'salary', kind: 'decimal', nullable: true },
    { name: 'settings', kind: 'object', nullable: true, check: settings },
    // Two members that client models seldom declare: a PUT must send them back.
    { name: 'avatarHue', kind: 'integer', nullable: true, check: range(0, 359) },
    { name: 'badge', kind: 'text', nullable: true, check: atMost(40) },
  ],
};

const tasks: Table = {
  name: 'tasks',
  singular: 'task',
  columns: [
    { name: 'title', kind: 'text', check: filled(500) },
    { name: 'done', kind: 'boolean', initial: () => false },
    { name: 'priority', kind: 'integer', initial: () => 3, check: range(1, 5) },
    { name: 'due', kind: 'dateonly', nullable: true },
    { name: 'userId', kind: 'integer', nullable: true, references: { table: 'users', onDelete: 'SET NULL' } },
    { name: 'teamId', kind: 'integer', nullable: true, references: { table: 'teams', onDelete: 'SET NULL' } },
    { name: 'estimate', kind: 'number', nullable: true, check: range(0, 10_000) },
    { name: 'origin', kind: 'text', nullable: true, check: atMost(40) },
    { name: 'createdAt', kind: 'instant', managed: { onCreate: (now) => now, onUpdate: (current) => current } },
    { name: 'updatedAt', kind: 'instant', managed: { onCreate: (now) => now, onUpdate: (_current, now) => now } },
    { name: 'version', kind: 'integer', managed: { onCreate: () => 1, onUpdate: (current) => Number(current) + 1 } },
  ],
};

/** Counts the writes of a row; other columns may change without it, such as the total of an order with its lines. */
const version: Column = {
  name: 'version',
  kind: 'integer',
  managed: { onCreate: () => 1, onUpdate: (current) => Number(current) + 1 },
};

/** Counts all changes of a row, also those that `version` leaves out, so that a feed can tell which of two rows is the newer one. */
const revision: Column = { ...version, name: 'revision' };

const customers: Table = {
  name: 'customers',
  singular: 'customer',
  versioned: true,
  shownIn: ['orders'],
  columns: [
    { name: 'name', kind: 'text', indexed: true, check: filled(200) },
    { name: 'city', kind: 'text', nullable: true, check: atMost(200) },
    {
      name: 'orderCount',
      kind: 'integer',
      computed: '(SELECT count(*) FROM "orders" WHERE "orders"."customerId" = "customers"."id")',
    },
    version,
  ],
  search: [`"name" LIKE ? ESCAPE '\\'`, `"city" LIKE ? ESCAPE '\\'`],
};

const categories: Table = {
  name: 'categories',
  singular: 'category',
  versioned: true,
  shownIn: ['orders'],
  columns: [
    { name: 'name', kind: 'text', check: filled(200) },
    { name: 'parentId', kind: 'integer', nullable: true, references: { table: 'categories', onDelete: 'RESTRICT' } },
    {
      name: 'childCount',
      kind: 'integer',
      computed: '(SELECT count(*) FROM "categories" AS "child" WHERE "child"."parentId" = "categories"."id")',
    },
    {
      name: 'leaf',
      kind: 'boolean',
      computed: 'NOT EXISTS (SELECT 1 FROM "categories" AS "child" WHERE "child"."parentId" = "categories"."id")',
    },
    version,
  ],
  search: [`"name" LIKE ? ESCAPE '\\'`],
};

const orders: Table = {
  name: 'orders',
  singular: 'order',
  versioned: true,
  columns: [
    { name: 'customerId', kind: 'integer', references: { table: 'customers', onDelete: 'RESTRICT' } },
    { name: 'placed', kind: 'dateonly', indexed: true, initial: (now) => now.slice(0, 10) },
    {
      name: 'status',
      kind: 'text',
      indexed: true,
      initial: () => 'open',
      check: oneOf('open', 'packed', 'shipped', 'paid', 'cancelled'),
    },
    // `refreshTotal` writes it after each write of a line.
    {
      name: 'total',
      kind: 'decimal',
      indexed: true,
      managed: { onCreate: () => '0.00', onUpdate: (current) => current },
    },
    { name: 'urgent', kind: 'boolean', initial: () => false },
    { name: 'note', kind: 'text', nullable: true, check: atMost(200) },
    {
      name: 'categoryId',
      kind: 'integer',
      nullable: true,
      references: { table: 'categories', onDelete: 'SET NULL' },
    },
    ofCustomer('customerName', 'name'),
    ofCustomer('customerCity', 'city'),
    {
      name: 'categoryName',
      kind: 'text',
      nullable: true,
      computed: '(SELECT "name" FROM "categories" WHERE "categories"."id" = "orders"."categoryId")',
    },
    {
      name: 'lineCount',
      kind: 'integer',
      computed: '(SELECT count(*) FROM "lines" WHERE "lines"."orderId" = "orders"."id")',
    },
    version,
    revision,
  ],
  search: [
    `CAST("orders"."id" AS TEXT) LIKE ? ESCAPE '\\'`,
    `"note" LIKE ? ESCAPE '\\'`,
    `"customerId" IN (SELECT "id" FROM "customers" WHERE "name" LIKE ? ESCAPE '\\')`,
    `"customerId" IN (SELECT "id" FROM "customers" WHERE "city" LIKE ? ESCAPE '\\')`,
  ],
};

function ofCustomer(name: string, member: string): Column {
  const computed = `(SELECT "${member}" FROM "customers" WHERE "customers"."id" = "orders"."customerId")`;
  return { name, kind: 'text', nullable: true, computed };
}

const lines: Table = {
  name: 'lines',
  singular: 'line',
  versioned: true,
  columns: [
    { name: 'orderId', kind: 'integer', references: { table: 'orders', onDelete: 'CASCADE' } },
    { name: 'article', kind: 'text', check: filled(200) },
    { name: 'quantity', kind: 'integer', initial: () => 1, check: range(1, 10_000) },
    { name: 'price', kind: 'decimal', nullable: true },
    version,
  ],
  search: [`"article" LIKE ? ESCAPE '\\'`],
};

const attachments: Table = {
  name: 'attachments',
  singular: 'attachment',
  columns: [
    { name: 'orderId', kind: 'integer', references: { table: 'orders', onDelete: 'CASCADE' } },
    { name: 'name', kind: 'text', check: filled(200) },
    { name: 'size', kind: 'integer', initial: () => 0, check: range(0, Number.MAX_SAFE_INTEGER) },
    { name: 'type', kind: 'text', initial: () => 'application/octet-stream', check: atMost(200) },
    { name: 'addedAt', kind: 'instant', managed: { onCreate: (now) => now, onUpdate: (current) => current } },
  ],
};

/** The history: changes of an order, its lines and its attachments. */
const changes: Table = {
  name: 'changes',
  singular: 'change',
  columns: [
    { name: 'orderId', kind: 'integer', references: { table: 'orders', onDelete: 'CASCADE' } },
    { name: 'who', kind: 'text' },
    { name: 'when', kind: 'instant' },
    { name: 'subject', kind: 'text' },
    { name: 'field', kind: 'text' },
    { name: 'before', kind: 'text', nullable: true },
    { name: 'after', kind: 'text', nullable: true },
  ],
};

/** All tables, by name, referenced ones first. */
export const tables: Readonly<Record<TableName, Table>> = {
  teams,
  users,
  tasks,
  customers,
  categories,
  orders,
  lines,
  attachments,
  changes,
};

/** The table of that name. */
export function findTable(name: string): Table | undefined {
  return Object.hasOwn(tables, name) ? tables[name as TableName] : undefined;
}
