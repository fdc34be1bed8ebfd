import fc from 'fast-check';
import { type Filter, Model, Store } from 'repose';
import { postgrest } from 'repose/dialects';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Person extends Model.define({
  fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true }, order: 'string' },
  proxy: server.proxy('/people', { dialect: postgrest() }),
}) {}

type Row = Readonly<Record<string, unknown>>;
type Test = (row: Row) => boolean;

/**
 * Reads the grammar of PostgREST's documentation (references/api/tables_views and url_grammar): conditions `column.operator.value`, in
 * which quotes protect reserved characters, and lists of them behind `and`, `or`, `not.and` and `not.or`.
 */
class Parser {
  private at = 0;
  constructor(private readonly text: string) {}

  static param(name: string, value: string): Test {
    if (/^(not\.)?(and|or)$/.test(name)) return new Parser(name + value).whole((parser) => parser.term());
    return new Parser(value).whole((parser) => parser.condition(name, () => parser.take(/^[\s\S]*/)));
  }

  private whole(read: (parser: Parser) => Test): Test {
    const found = read(this);
    expect(this.text.slice(this.at)).toBe('');
    return found;
  }

  private take(pattern: RegExp): string {
    const [found] = pattern.exec(this.text.slice(this.at)) ?? [];
    if (found === undefined) throw new Error(`no ${pattern} at ${this.at} in ${this.text}`);
    this.at += found.length;
    return found;
  }

  private has(text: string): boolean {
    const isNext = this.text.startsWith(text, this.at);
    if (isNext) this.at += text.length;
    return isNext;
  }

  /** A value that ends before a comma or a bracket, unless it is in quotes. */
  private item(): string {
    if (!this.has('"')) return this.take(/^[^,)]*/);
    const inside = this.take(/^(?:[^"\\]|\\[\s\S])*/);
    this.take(/^"/);
    return inside.replace(/\\([\s\S])/g, '$1');
  }

  private list<T>(read: () => T): T[] {
    this.take(/^\(/);
    const items = [read()];
    while (this.has(',')) items.push(read());
    this.take(/^\)/);
    return items;
  }

  private term(): Test {
    const [head = ''] = /^(?:not\.)?(?:and|or)\(/.exec(this.text.slice(this.at)) ?? [];
    if (head === '') {
      const name = this.column();
      this.take(/^\./);
      return this.condition(name, () => this.item());
    }
    this.at += head.length - 1;
    const tests = this.list(() => this.term());
    const holds: Test = head.includes('and(')
      ? (row) => tests.every((each) => each(row))
      : (row) => tests.some((each) => each(row));
    return head.startsWith('not.') ? (row) => !holds(row) : holds;
  }

  /** The name of a column. */
  private column(): string {
    return this.text[this.at] === '"' ? this.item() : this.take(/^[\w$]+/);
  }

  private condition(column: string, value: () => string): Test {
    const isNegated = this.has('not.');
    const operator = this.take(/^\w+/);
    this.take(/^\./);
    const test = this.testOf(operator, value);
    return (row) => test(row[column]) !== isNegated;
  }

  private testOf(operator: string, value: () => string): (given: unknown) => boolean {
    if (operator === 'is') {
      expect(this.take(/^\w+/)).toBe('null');
      return (given) => given === null;
    }
    if (operator === 'in') {
      const items = this.list(() => this.item());
      // The server takes one empty item for an empty list.
      return (given) => !(items.length === 1 && items[0] === '') && items.includes(String(given));
    }
    const than = value();
    if (operator === 'like' || operator === 'ilike') {
      const pattern = than
        .replace(/\*/g, '%')
        .replace(/\\([\s\S])|%|_|[\s\S]/g, (part, escaped) =>
          escaped === undefined && part === '%'
            ? '[\\s\\S]*'
            : escaped === undefined && part === '_'
              ? '[\\s\\S]'
              : literal(escaped ?? part),
        );
      const matches = new RegExp(`^${pattern}$`, operator === 'ilike' ? 'i' : '');
      return (given) => matches.test(String(given));
    }
    const order = (given: unknown) =>
      typeof given === 'number' ? given - Number(than) : String(given) < than ? -1 : String(given) > than ? 1 : 0;
    const tests: Readonly<Record<string, (order: number) => boolean>> = {
      eq: (sign) => sign === 0,
      neq: (sign) => sign !== 0,
      lt: (sign) => sign < 0,
      lte: (sign) => sign <= 0,
      gt: (sign) => sign > 0,
      gte: (sign) => sign >= 0,
    };
    return (given) => (tests[operator] as (order: number) => boolean)(order(given));
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const nasty = fc.constantFrom(...'aB,.:()"\\%_ {}&=+#?;\'|ü'.split(''), 'not.', 'or(', 'null', 'eq.');
const text = fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join(''));
const number = fc.integer({ min: -3, max: 3 });
const filled = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 1, maxLength: 3 });
const property = fc.constantFrom('name', 'order');
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    property,
    operator: fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'startsWith', 'endsWith', 'like'),
    value: text,
  }),
  fc.record({ property, operator: fc.constantFrom('in', 'nin'), value: filled(text) }),
  fc.record({ property, operator: fc.constant('between'), value: fc.tuple(text, text) }),
  fc.record({ property: fc.constant('age'), operator: fc.constant('isNull'), value: fc.boolean() }),
  fc.record({ property: fc.constant('age'), operator: fc.constantFrom('eq', 'ne'), value: fc.constant(null) }),
  fc.record({ property: fc.constant('id'), operator: fc.constantFrom('eq', 'lt', 'ge'), value: number }),
  fc.record({ property: fc.constant('id'), operator: fc.constantFrom('in', 'nin'), value: filled(number) }),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ),
}));
const row = fc.record({ id: number, name: text, order: text, age: fc.constantFrom(null, 1) });

test('a server that reads the documented grammar keeps the rows that the store keeps by itself', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(filter, { maxLength: 3 }),
      fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 6 }),
      async (filters, rows) => {
        const kept = new Store({ model: Person, data: rows, pageSize: 0, filters: filters as never });
        server.reply(({ query }) => {
          const tests = [...query].map(([name, value]) => Parser.param(name, value));
          return { json: rows.filter((each) => tests.every((holds) => holds(each))) };
        });
        const people = new Store({ model: Person, pageSize: 0, remoteFilter: true, filters: filters as never });
        await people.load();
        expect(people.getRange().map(({ id }) => id)).toEqual(kept.getRange().map(({ id }) => id));
      },
    ),
    { numRuns: 400 },
  );
});
