import type Libsql from 'libsql';
import type { Json } from './json.js';
import { createRandom, type Random } from './random.js';
import { insertSql, sqlValues } from './rows.js';
import { createTables } from './schema.js';
import type { TableName } from './table.js';
import { tables } from './tables.js';
import {
  articles,
  categoryNames,
  familyNames,
  givenNames,
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
  readonly seed: number;
}

const USERS = 400;
const CUSTOMERS = 40;
const ORDERS = 120;
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

function* generateCustomers(random: Random): Generator<Values> {
  for (let index = 0; index < CUSTOMERS; index += 1) {
    const [, city] = random.pick(teamNames);
    yield { name: `${random.pick(givenNames)} ${random.pick(familyNames)}`, city };
  }
}

function* generateOrders(random: Random): Generator<Values> {
  for (let index = 0; index < ORDERS; index += 1) {
    yield {
      customerId: random.integer(1, CUSTOMERS),
      placed: new Date(instant(random, 0, 300)).toISOString().slice(0, 10),
      status: random.pick(['open', 'paid', 'shipped']),
    };
  }
}

function* generateLines(random: Random): Generator<Values> {
  for (let order = 1; order <= ORDERS; order += 1) {
    for (let left = random.integer(1, 4); left > 0; left -= 1) {
      yield {
        orderId: order,
        article: random.pick(articles),
        quantity: random.integer(1, 12),
        price: (random.integer(199, 49_900) / 100).toFixed(2),
      };
    }
  }
}

/** Categories by the names of their parents; each parent comes before the categories below it. */
function* generateCategories(): Generator<Values> {
  const names = categoryNames.map(([name]) => name);
  for (const [name, parent] of categoryNames) yield { name, parentId: parent ? names.indexOf(parent) + 1 : null };
}

function fill(db: Libsql.Database, name: TableName, rows: Iterable<Values>): void {
  const table = tables[name];
  const statement = db.prepare(insertSql(table));
  for (const row of rows) statement.run(sqlValues(table, row));
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
  fill(db, 'customers', generateCustomers(random));
  fill(db, 'orders', generateOrders(random));
  fill(db, 'lines', generateLines(random));
  fill(db, 'categories', generateCategories());
}
