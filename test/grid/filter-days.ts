// Run by day-filters.test.ts in a process of its own, because the time zone belongs to the process.
import { infiniteDatasource } from '../../src/ag-grid.js';
import { Model, Store } from '../../src/index.js';

class Task extends Model.define({ name: 'task', fields: { id: 'int', due: { type: 'date', allowNull: true } } }) {}

const OPERATORS: Readonly<Record<string, (day: string, from: string, to: string) => boolean>> = {
  equals: (day, from) => day === from,
  notEqual: (day, from) => day !== from,
  lessThan: (day, from) => day < from,
  lessThanOrEqual: (day, from) => day <= from,
  greaterThan: (day, from) => day > from,
  greaterThanOrEqual: (day, from) => day >= from,
  inRange: (day, from, to) => day >= from && day <= to,
};
const HOUR = 3_600_000;
const [zone = '', ...days] = process.argv.slice(2);
const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });

/** The filters that a store gets from a filter model of the grid. */
function filtersOf(filterModel: object): never {
  const store = new Store({ model: Task, remoteSort: true, remoteFilter: true });
  const reader = { filters: [] as unknown };
  const api = { isDestroyed: () => true };
  const datasource = infiniteDatasource(store as never, { onError: () => undefined });
  return new Promise((resolve) => {
    const end = () => {
      reader.filters = store.query.filters;
      resolve(reader.filters as never);
    };
    datasource.getRows({
      ...{ api, startRow: 0, endRow: 1, sortModel: [], filterModel, successCallback: end, failCallback: end },
    } as never);
  }) as never;
}

const mistakes: string[] = [];
let compared = 0;
for (const day of days) {
  const noon = new Date(`${day}T12:00:00Z`).getTime();
  const moments = Array.from({ length: 96 * 4 }, (_, at) => noon + (at - 96 * 2) * (HOUR / 4));
  const data = moments.map((time, at) => ({ id: at + 1, due: new Date(time) }));
  const dateTo = new Date(noon + 24 * HOUR).toISOString().slice(0, 10);
  for (const [type, holds] of Object.entries(OPERATORS)) {
    const condition = { filterType: 'date', type, dateFrom: `${day} 00:00:00`, dateTo: `${dateTo} 00:00:00` };
    const filters = await filtersOf({ due: condition });
    const passing = new Set([...new Store({ model: Task, data, filters })].map(({ id }) => id));
    for (const [at, time] of moments.entries()) {
      const local = format.format(time);
      compared += 1;
      if (passing.has(at + 1) !== holds(local, day, dateTo)) mistakes.push(`${type} ${day}: ${local}`);
    }
  }
}
console.log(JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, compared, mistakes }));
