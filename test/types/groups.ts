import { Model, Store, type View, viewOf, decimal } from 'repose';
import { type Group, type Groups, type GroupsChange, type GroupsPlugin, groups } from 'repose/groups';
import { is } from './equal.js';

class Task extends Model.define({
  fields: { id: 'int', title: 'string', team: 'string', hours: 'number', cost: decimal(), due: { type: 'date', allowNull: true } },
}) {
  get late(): boolean {
    return this.due != null && this.due < new Date();
  }
}

// ── a store with the option ───────────────────────────────────────────────────
const tasks = new Store({
  model: Task,
  groups: groups({
    by: ['team', { property: 'late', direction: 'desc' }],
    summaries: {
      hours: ['sum', 'average', 'count'], cost: 'sum', due: 'max',
      titles: (records: readonly Task[]) => records.map(({ title }) => title).join(),
    },
  }),
});
for (const group of tasks.groups) {
  is<string | boolean | null | undefined>()(group.key);
  is<number>()(group.count);
  is<readonly Task[]>()(group.records);
  is<number>()(group.summaries.hours.sum);
  is<number | null>()(group.summaries.hours.average);
  is<number>()(group.summaries.hours.count);
  is<string>()(group.summaries.cost);
  is<Date | null>()(group.summaries.due);
  is<string>()(group.summaries.titles);
  // @ts-expect-error a kind that was not asked for
  group.summaries.hours.max;
  // @ts-expect-error a summary that was not asked for
  group.summaries.title;
  is<readonly (typeof group)[]>()(group.groups);
  is<typeof group | undefined>()(group.parent);
}
is<number>()(tasks.groups.summaries.hours.sum);
tasks.groups.on('change', (change) => is<readonly Task[] | undefined>()(change.added[0]?.records));

// ── a view's own, and the store of the small entry ────────────────────────────
const view = viewOf(tasks, { groups: groups({ by: ['late'] }) });
is<boolean | null | undefined>()(view.groups.groups[0]?.key);
const core = new Store({ model: Task, groups: groups({ summaries: { due: ['min'] } }) });
is<Date | null>()(core.groups.summaries.due.min);

// ── a store type without the option ───────────────────────────────────────────
const plain = new Store({ model: Task });
is<Groups<Task> | undefined>()(plain.groups);
const any: Store<Model> = tasks;
const same: Store<Task> = tasks;
const other: View<Model> = view;
is<Groups<Task> | undefined>()(same.groups);
is<readonly Group<Model>[] | undefined>()(any.groups?.groups);
is<Groups<Model> | undefined>()(other.groups);
export const plugin: GroupsPlugin<{ readonly by: readonly ['team'] }> = groups({ by: ['team'] });
export const told = (change: GroupsChange<Task>): readonly Group<Task>[] => change.removed;

// ── compile errors ────────────────────────────────────────────────────────────
// @ts-expect-error no such field
new Store({ model: Task, groups: groups({ by: ['taem'] }) });
// @ts-expect-error no such field
new Store({ model: Task, groups: groups({ summaries: { huors: 'sum' } }) });
// @ts-expect-error no such kind
groups({ summaries: { hours: 'median' } });
// @ts-expect-error a function of other records
new Store({ model: Task, groups: groups({ summaries: { all: (records: readonly Date[]) => records.length } }) });
// @ts-expect-error misspelt option
groups({ bye: ['team'] });
