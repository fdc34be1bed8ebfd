import type { Model, RecordWindow } from 'repose';
import type { Received, Reply } from '../helpers/rest-server.js';

export interface Row {
  id: number;
  name: string;
}

/** A collection on a server: sorts, filters, pages, updates and erases as requested. */
export class ServerRows {
  rows: Row[];
  /** Whether answers contain the total. */
  tellsTotal = true;
  private made = 100_001;

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `n${i + 1}` }));
  }

  readonly answer = ({ method, path, query, body }: Received): Reply => {
    const at = this.rows.findIndex(({ id }) => id === Number(path.split('/')[2]));
    if (method === 'GET') return this.list(query);
    if (method === 'POST') return this.create(body);
    if (at < 0) return { status: 404 };
    if (method === 'DELETE') this.rows.splice(at, 1);
    else this.rows[at] = body;
    return { status: 204 };
  };

  /** The rows whose id is divisible by the filter's value, sorted by id if a direction is given. */
  find(direction?: string, divisor: number = 1): Row[] {
    const found = this.rows.filter(({ id }) => id % divisor === 0);
    return direction ? found.sort((a, b) => (a.id - b.id) * (direction === 'DESC' ? -1 : 1)) : found;
  }

  private create({ name }: Row): Reply {
    const row = { id: this.made++, name };
    this.rows.push(row);
    return { status: 201, json: row };
  }

  private list(query: URLSearchParams): Reply {
    const [sorter] = JSON.parse(query.get('sort') ?? '[]') as [{ property: 'id'; direction: string }?];
    const [filter] = JSON.parse(query.get('filter') ?? '[]') as [{ value: number }?];
    const found = this.find(sorter?.direction, filter?.value);
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))];
    const rows = found.slice(start, start + limit);
    return { json: { rows, ...(this.tellsTotal && { total: found.length }) } };
  }
}

/** The ids of a range of records; `-` for a missing one. */
export function ids<M extends Model>(window: RecordWindow<M>, from: number, to: number): (number | '-')[] {
  return window.list
    .get()
    .slice(from, to)
    .map((record) => (record ? (record.getId() as number) : '-'));
}

/** The states of a range, one letter each: `#` loaded, `~` loading, `.` missing. */
export function states<M extends Model>(window: RecordWindow<M>, from: number, to: number): string {
  const letters = { loaded: '#', loading: '~', missing: '.' };
  return Array.from({ length: to - from }, (_, i) => letters[window.stateAt(from + i)]).join('');
}
