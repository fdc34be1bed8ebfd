import { hasErrorBrand } from '../errors/data-error.js';
import { createComparator, createPredicate, type ItemReader, searchFilter } from '../operation/local-query.js';
import type { RecordModel, WireField } from '../operation/operation-record.js';
import { activeFilters, type Filter, operatorOf, type Sorter, toFilters, toSorters } from '../operation/query-parts.js';
import { type Data, getMember, hasPath, parsePath, readPath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { Refusal } from './refusal.js';
import type { RestParams } from './rest-config.js';

/** A part of a list. */
export interface ListPart {
  readonly rows: readonly Readonly<Data>[];
  readonly total: number;
}

type Rows = readonly Readonly<Data>[];

/** Answers the query of a list, in the form of the classic or the plain dialect. Throws {@link Refusal}. */
export class RestQuery {
  private readonly params: Required<RestParams>;
  private readonly searchParams: readonly string[];

  constructor(options: RestParams) {
    this.params = {
      pageParam: options.pageParam ?? 'page',
      startParam: options.startParam ?? 'start',
      limitParam: options.limitParam ?? 'limit',
      sortParam: options.sortParam ?? 'sort',
      directionParam: options.directionParam ?? 'dir',
      filterParam: options.filterParam ?? 'filter',
      groupParam: options.groupParam ?? 'group',
      groupDirectionParam: options.groupDirectionParam ?? 'groupDir',
      searchParam: options.searchParam ?? 'query',
      ignoredParams: options.ignoredParams ?? ['_dc'],
    };
    this.searchParams = options.searchParam === undefined ? ['query', 'search'] : [options.searchParam];
  }

  answer(rows: Rows, query: URLSearchParams, model: RecordModel | undefined): ListPart {
    try {
      const reader = readerOf(rows, model);
      const keep = createPredicate(this.filters(rows, query, model), reader);
      const order = createComparator(this.sorters(query), reader);
      const found = keep ? rows.filter(keep) : [...rows];
      if (order) found.sort(order);
      const [start, end] = this.range(query);
      return { rows: found.slice(start, end), total: found.length };
    } catch (error) {
      // A query that the library refuses in a client is a bad request here.
      if (hasErrorBrand(error)) throw new Refusal(400, error.message);
      throw error;
    }
  }

  private range(query: URLSearchParams): [start: number, end: number | undefined] {
    const { pageParam, startParam, limitParam } = this.params;
    const page = countOf(query, pageParam);
    const limit = countOf(query, limitParam);
    if (page === 0) throw new Refusal(400, `Pages count from 1: '${pageParam}' is 0`);
    if (page !== undefined && page > 1 && limit === undefined)
      throw new Refusal(400, `'${pageParam}' without '${limitParam}': how large is a page?`);
    const start = countOf(query, startParam) ?? ((page ?? 1) - 1) * (limit ?? 0);
    return [start, limit === undefined ? undefined : start + limit];
  }

  private sorters(query: URLSearchParams): Sorter[] {
    const { sortParam, directionParam, groupParam, groupDirectionParam } = this.params;
    return [
      // Sorting by the group first keeps the rows of a group together.
      ...sortersOf(query, groupParam, groupDirectionParam),
      ...sortersOf(query, sortParam, directionParam),
    ];
  }

  private filters(rows: Rows, query: URLSearchParams, model: RecordModel | undefined): Filter[] {
    const { filterParam, ignoredParams, ...named } = this.params;
    const spoken = new Set<string>([...Object.values(named), ...this.searchParams, ...ignoredParams]);
    const filters: Filter[] = [];
    for (const name of new Set(query.keys())) {
      const values = query.getAll(name);
      if (this.searchParams.includes(name)) filters.push(searchFor(values[0] as string, model));
      else if (name === filterParam && values.every(isJson)) {
        const given = values.flatMap((text) => parseJson(text, name));
        filters.push(...activeFilters(toFilters(given)).map((each) => typed(each, model)));
      } else if (!spoken.has(name)) filters.push(equality(name, values, rows, model));
    }
    return filters;
  }
}

/** Reads the members of rows: as the field's value if there is a model, else as the JSON value. */
function readerOf(rows: Rows, model: RecordModel | undefined): ItemReader<Readonly<Data>> {
  return {
    read(property) {
      const field = fieldOf(property, model);
      return field ? (row) => field.read(field.raw(row)) : memberOf(property, rows);
    },
    compare: (property) => fieldOf(property, model)?.compare,
  };
}

/** A field by its name or by the name of its member, because queries use either. */
function fieldOf(property: string, model: RecordModel | undefined): WireField | undefined {
  return model?.field(property) ?? model?.fields.find(({ mapping }) => mapping === property);
}

/** Reads a member without a field. Throws {@link Refusal} if no row has the member, because it is probably misspelt. */
function memberOf(property: string, rows: Rows): (row: Readonly<Data>) => unknown {
  const path = parsePath(property);
  if (rows.length && !rows.some((row) => Object.hasOwn(row, property) || hasPath(row, path)))
    throw new Refusal(400, `No row has '${property}'. If it is meant for nothing, list it in \`ignoredParams\``);
  return (row) => getMember(row, property) ?? readPath(row, path);
}

function sortersOf(query: URLSearchParams, name: string, directionName: string): Sorter[] {
  const values = query.getAll(name).filter(Boolean);
  if (values.some(isJson)) return [...toSorters(values.flatMap((text) => parseJson(text, name)))];
  const directions = query.getAll(directionName);
  if (directions.length)
    return [...toSorters(values.map((property, i) => ({ property, direction: directions[i] ?? 'ASC' })))];
  const signed = values.flatMap((text) => text.split(','));
  return [
    ...toSorters(
      signed.map((text) => ({
        property: text.replace(/^[-+]/, ''),
        direction: text.startsWith('-') ? 'DESC' : 'ASC',
      })),
    ),
  ];
}

/** The filter of a parameter such as `status=open`: the value must be one of the given texts. */
function equality(name: string, texts: readonly string[], rows: Rows, model: RecordModel | undefined): Filter {
  const field = fieldOf(name, model);
  const read = field ? (row: Readonly<Data>) => field.read(field.raw(row)) : memberOf(name, rows);
  const holds = (value: unknown, text: string) => {
    if (value === null || value === undefined) return text === '';
    return String(value) === text || (field !== undefined && isSame(value, field.read(text)));
  };
  return { filterFn: (row: Readonly<Data>) => texts.some((text) => holds(read(row), text)) };
}

/** The filter of a search: some text of the row must contain the searched text. */
function searchFor(text: string, model: RecordModel | undefined): Filter {
  if (model) return searchFilter(text, model);
  const part = text.toLowerCase();
  return {
    filterFn: (row: Readonly<Data>) =>
      Object.values(row).some((value) => typeof value === 'string' && value.toLowerCase().includes(part)),
  };
}

/** Converts the values of a filter to the type of its field: a date, for example, arrives as a text. */
function typed(filter: Filter, model: RecordModel | undefined): Filter {
  const { property, and, or, not, value } = filter;
  const all = (list: readonly Filter[]) => list.map((each) => typed(each, model));
  if (and) return { ...filter, and: all(and) };
  if (or) return { ...filter, or: all(or) };
  if (not) return { ...filter, not: typed(not, model) };
  const field = fieldOf(property as string, model);
  if (!field || /^(contains|startsWith|endsWith|like|isNull)$/.test(operatorOf(filter) ?? '')) return filter;
  return { ...filter, value: Array.isArray(value) ? value.map((each) => field.read(each)) : field.read(value) };
}

function countOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || name === '') return undefined;
  if (!/^\d+$/.test(text)) throw new Refusal(400, `'${name}' is no count: '${text}'`);
  return Number(text);
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function parseJson(text: string, name: string): unknown[] {
  try {
    return [JSON.parse(text)].flat();
  } catch (error) {
    throw new Refusal(400, `The parameter '${name}' is no JSON: ${(error as Error).message}`);
  }
}
