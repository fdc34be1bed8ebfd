import { Model, Store, listOf, decimal } from 'repose';
import { groups } from 'repose/groups';
import { is } from './equal.js';

// ── rows as objects ───────────────────────────────────────────────────────────
const sizes = listOf([
  { id: 'm', label: 'Medium', weight: 2, made: new Date(0) },
  { id: 'l', label: 'Large', weight: 3, made: new Date(0) },
]);
const size = sizes.getAt(0)!;
is<string>()(size.id);
is<string>()(size.label);
is<number>()(size.weight);
is<Date>()(size.made);
size.label = 'Middle';
size.set({ weight: 4 });
sizes.sort('weight', 'DESC');
sizes.filter({ property: 'label', operator: 'startsWith', value: 'M' });
sizes.add({ id: 'xl', label: 'Huge' });
is<readonly { readonly label: string }[]>()(sizes.getRange().map(({ label }) => ({ label })) as readonly { readonly label: string }[]);
// @ts-expect-error no such member
size.lable;
// @ts-expect-error wrong value
size.weight = 'heavy';
// @ts-expect-error no such member
sizes.sort('wieght');
// @ts-expect-error no such member
sizes.add({ lable: 'Huge' });

// ── rows that lack members, nulls, values inside ──────────────────────────────
const mixed = listOf([{ code: 'a', tags: ['x'] }, { code: 'b', note: 'n', tags: ['y'] }, { code: 'c', note: null, tags: ['z'] }]).getAt(0)!;
is<string | null | undefined>()(mixed.note);
is<readonly string[]>()(mixed.tags);
is<string | number>()(mixed.id);

interface Country {
  readonly code: string;
  readonly name?: string;
}
declare const countries: readonly Country[];
const known = listOf(countries, { idProperty: 'code', names: ['code', 'name'], sorters: ['name'], groups: groups({ by: ['name'] }) });
is<string>()(known.getAt(0)!.code);
is<string | undefined>()(known.getAt(0)!.name);
// @ts-expect-error the id is `code`
known.getAt(0)!.id;
// @ts-expect-error no such sorter
listOf(countries, { sorters: ['naem'] });
// @ts-expect-error a list without a model has no proxy
listOf(countries, { proxy: { url: '/countries' } });
// @ts-expect-error a row is an object or a list of values
listOf([1, 2]);

// ── rows as lists of values ───────────────────────────────────────────────────
const pairs = listOf([['ch', 'Switzerland', 26], ['it', 'Italy', null]], { names: ['id', 'name', 'parts'], sorters: ['name'] });
const pair = pairs.getAt(0)!;
is<string>()(pair.id);
is<string>()(pair.name);
is<number | null>()(pair.parts);
const unnamed: readonly (readonly [number, string])[] = [[1, 'a']];
is<string | number>()(listOf(unnamed, { names: ['rank', 'title'] as const }).getAt(0)!.id);
is<number>()(listOf(unnamed, { names: ['rank', 'title'], idProperty: 'rank' }).getAt(0)!.rank);
// @ts-expect-error no such name
listOf(unnamed, { names: ['rank', 'title'], sorters: ['titel'] });
// @ts-expect-error lists of values need names
listOf(unnamed);

// ── declared fields ───────────────────────────────────────────────────────────
const lines = listOf({ fields: { sku: 'string', price: decimal({ defaultValue: '0' }) }, sorters: ['sku'], data: [{ sku: 'A' }] });
is<string | undefined>()(lines.getAt(0)!.sku);
is<string>()(lines.getAt(0)!.price);
is<string | number>()(lines.getAt(0)!.id);
is<number>()(listOf({ fields: { id: 'int' } }).getAt(0)!.id);
// @ts-expect-error no such type
listOf({ fields: { sku: 'strnig' } });
// @ts-expect-error no such field
listOf({ fields: { sku: 'string' }, sorters: ['sk'] });
// @ts-expect-error a reserved name
listOf([{ id: 1, on: 2 }]);
// @ts-expect-error a reserved name
listOf({ fields: { on: 'string' } });

class Task extends Model.define({ fields: { id: 'int', title: 'string' } }) {}
is<Store<Task>>()(new Store({ model: Task }));
