import { atMost, email, filled, oneOf, range, settings } from './checks.js';
import type { Table, TableName } from './table.js';

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

const customers: Table = {
  name: 'customers',
  singular: 'customer',
  columns: [
    { name: 'name', kind: 'text', check: filled(200) },
    { name: 'city', kind: 'text', nullable: true, check: atMost(200) },
  ],
};

const orders: Table = {
  name: 'orders',
  singular: 'order',
  columns: [
    { name: 'customerId', kind: 'integer', references: { table: 'customers', onDelete: 'RESTRICT' } },
    { name: 'placed', kind: 'dateonly', initial: (now) => now.slice(0, 10) },
    { name: 'status', kind: 'text', initial: () => 'open', check: oneOf('open', 'paid', 'shipped') },
  ],
};

const lines: Table = {
  name: 'lines',
  singular: 'line',
  columns: [
    { name: 'orderId', kind: 'integer', references: { table: 'orders', onDelete: 'CASCADE' } },
    { name: 'article', kind: 'text', check: filled(200) },
    { name: 'quantity', kind: 'integer', initial: () => 1, check: range(1, 10_000) },
    { name: 'price', kind: 'decimal', nullable: true },
  ],
};

const categories: Table = {
  name: 'categories',
  singular: 'category',
  columns: [
    { name: 'name', kind: 'text', check: filled(200) },
    { name: 'parentId', kind: 'integer', nullable: true, references: { table: 'categories', onDelete: 'RESTRICT' } },
  ],
};

/** All tables, by name, referenced ones first. */
export const tables: Readonly<Record<TableName, Table>> = {
  teams,
  users,
  tasks,
  customers,
  orders,
  lines,
  categories,
};

/** The table of that name. */
export function findTable(name: string): Table | undefined {
  return Object.hasOwn(tables, name) ? tables[name as TableName] : undefined;
}
