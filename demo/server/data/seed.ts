import type Libsql from 'libsql';
import type { Json } from './json.js';
import { createRandom, type Random } from './random.js';
import { insertSql, sqlConverter } from './rows.js';
import { createIndexes, createTables } from './schema.js';
import type { Table, TableName } from './table.js';
import { tables } from './tables.js';
import {
  articles,
  categoryNames,
  familyNames,
  givenNames,
  orderNotes,
  origins,
  tags,
  taskSubjects,
  taskVerbs,
  teamNames,
  themes,
} from './words.js';

/** The number of rows to generate, and the source of their values. */
export interface SeedOptions {
  readonly tasks: number;
  readonly orders: number;
  readonly seed: number;
}

const USERS = 400;
const FEWEST_CUSTOMERS = 40;
const ORDERS_OF_CUSTOMER = 50;
// Three years of orders up to the last one.
const ORDER_DAYS = 1096;
const DAY = 86_400_000;

// A fixed day, because rows must not depend on the time at which they are made.
const EPOCH = Date.UTC(2024, 0, 1);

type Values = Readonly<Record<string, Json>>;

function instant(random: Random, fromDay: number, toDay: number): number {
  return EPOCH + random.integer(fromDay, toDay) * DAY + random.integer(6 * 60, 20 * 60) * 60_000;
}

function* generateTeams(): Generator<Values> {
  for (const [name, city] of teamNames) yield { name, city };
}

function mailName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .replaceAll(' ', '.')
    .toLowerCase();
}

function* generateUsers(random: Random): Generator<Values> {
  const taken = new Map<string, number>();
  for (let index = 0; index < USERS; index += 1) {
    const name = `${random.pick(givenNames)} ${random.pick(familyNames)}`;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    yield {
      name,
      email: `${mailName(name)}${count > 1 ? count : ''}@example.com`,
      role: random.chance(0.1) ? 'admin' : 'member',
      teamId: random.integer(1, teamNames.length),
      joined: new Date(instant(random, -3000, -1)).toISOString(),
      active: random.chance(0.85),
      salary: (random.integer(240_000, 960_000) / 100).toFixed(2),
      settings: {
        theme: random.pick(themes),
        tags: [...new Set(Array.from({ length: random.integer(0, 3) }, () => random.pick(tags)))],
      },
      avatarHue: random.integer(0, 359),
      badge: `B-${String(index + 1).padStart(4, '0')}`,
    };
  }
}

function* generateTasks(random: Random, count: number, teamOf: readonly Json[]): Generator<Values> {
  for (let index = 0; index < count; index += 1) {
    const user = random.integer(0, USERS - 1);
    const createdAt = instant(random, 0, 300);
    const version = random.integer(1, 4);
    yield {
      title: `${random.pick(taskVerbs)} ${random.pick(taskSubjects)}`,
      done: random.chance(0.35),
      priority: random.integer(1, 5),
      due: random.chance(0.7) ? new Date(createdAt + random.integer(3, 90) * DAY).toISOString().slice(0, 10) : null,
      userId: user + 1,
      teamId: teamOf[user] ?? null,
      estimate: random.integer(1, 32) / 2,
      origin: random.chance(0.8) ? random.pick(origins) : null,
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(createdAt + (version - 1) * random.integer(1, 5) * DAY).toISOString(),
      version,
    };
  }
}

function customerCount({ orders }: SeedOptions): number {
  return Math.max(FEWEST_CUSTOMERS, Math.ceil(orders / ORDERS_OF_CUSTOMER));
}

function* generateCustomers(random: Random, count: number): Generator<Values> {
  for (let index = 0; index < count; index += 1) {
    const [, city] = random.pick(teamNames);
    yield { name: `${random.pick(givenNames)} ${random.pick(familyNames)}`, city, version: 1 };
  }
}

/** The status of an order of that age: most old orders are paid. */
function statusOf(random: Random, age: number): string {
  if (random.chance(0.04)) return 'cancelled';
  if (age > 90) return random.chance(0.93) ? 'paid' : 'shipped';
  if (age > 20) return random.pick(['paid', 'shipped', 'shipped', 'packed']);
  return random.pick(['open', 'open', 'open', 'packed', 'shipped']);
}

/** An order with its lines. */
interface GeneratedOrder {
  readonly order: Values;
  readonly lines: readonly Values[];
}

function* generateOrders(random: Random, options: SeedOptions): Generator<GeneratedOrder> {
  const customers = customerCount(options);
  const leaves = categoryNames.flatMap(([name], at) =>
    categoryNames.some(([, parent]) => parent === name) ? [] : [at + 1],
  );
  for (let id = 1; id <= options.orders; id += 1) {
    const age = Math.floor(((options.orders - id) / options.orders) * ORDER_DAYS);
    const lines = [...generateLines(random, id)];
    const cents = lines.reduce(
      (sum, { quantity, price }) => sum + Number(quantity) * Math.round(Number(price) * 100),
      0,
    );
    yield {
      order: {
        customerId: random.integer(1, customers),
        placed: new Date(EPOCH + (300 - age) * DAY).toISOString().slice(0, 10),
        status: statusOf(random, age),
        total: (cents / 100).toFixed(2),
        urgent: random.chance(0.08),
        note: random.chance(0.15) ? random.pick(orderNotes) : null,
        categoryId: leaves[random.integer(0, leaves.length - 1)] ?? null,
        version: 1,
        revision: 1,
      },
      lines,
    };
  }
}

function* generateLines(random: Random, orderId: number): Generator<Values> {
  for (let left = random.integer(1, 3); left > 0; left -= 1) {
    yield {
      orderId,
      article: random.pick(articles),
      quantity: random.integer(1, 12),
      price: (random.integer(199, 49_900) / 100).toFixed(2),
      version: 1,
    };
  }
}

/** Categories by the names of their parents; each parent comes before the categories below it. */
function* generateCategories(): Generator<Values> {
  const names = categoryNames.map(([name]) => name);
  for (const [name, parent] of categoryNames)
    yield { name, parentId: parent ? names.indexOf(parent) + 1 : null, version: 1 };
}

function inserter(db: Libsql.Database, table: Table): (row: Values) => void {
  const statement = db.prepare(insertSql(table));
  const valuesOf = sqlConverter(table);
  return (row) => {
    statement.run(valuesOf(row));
  };
}

function fill(db: Libsql.Database, name: TableName, rows: Iterable<Values>): void {
  const table = tables[name];
  const insert = inserter(db, table);
  for (const row of rows) insert(row);
}

function fillOrders(db: Libsql.Database, orders: Iterable<GeneratedOrder>): void {
  const insertOrder = inserter(db, tables.orders);
  const insertLine = inserter(db, tables.lines);
  for (const { order, lines } of orders) {
    insertOrder(order);
    for (const line of lines) insertLine(line);
  }
}

/** Drops all tables, creates them and fills them; run it inside a transaction. */
export function seed(db: Libsql.Database, options: SeedOptions): void {
  createTables(db);
  const random = createRandom(options.seed);
  const users = [...generateUsers(random)];
  fill(db, 'teams', generateTeams());
  fill(db, 'users', users);
  fill(
    db,
    'tasks',
    generateTasks(
      random,
      options.tasks,
      users.map((user) => user['teamId'] ?? null),
    ),
  );
  fill(db, 'customers', generateCustomers(random, customerCount(options)));
  fill(db, 'categories', generateCategories());
  fillOrders(db, generateOrders(random, options));
  createIndexes(db);
}
