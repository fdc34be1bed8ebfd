import { type } from 'arktype';
import { uuid,
  type AnyModel, email, exclusion, type FieldValue, type FilterConfig, type Finding, type Fields, format, inclusion, json, length, Model, type ModelType, presence, range,
  type StandardSchemaV1, Store, url, type Validator, type Values, type ValuesOf, where, bigint, embed, fieldsOf, type FieldInfos,
} from 'repose';
import * as v from 'valibot';
import * as z from 'zod';
import { check, type Equal, is } from './equal.js';

// ── validators ────────────────────────────────────────────────────────────────
const even: Validator = (value) => (Number(value) % 2 ? { code: 'even', message: 'must be even' } : undefined);
const known = (value: unknown): Finding | undefined => (value === 'x' ? { code: 'required' } : undefined);
class Account extends Model.define({
  fields: {
    id: 'int',
    name: { type: 'string', validators: [presence(), length({ min: 1, max: 80 }), format(/^\w/, { message: 'starts badly' }), known] },
    mail: { type: 'string', allowNull: true, validators: [email()] },
    site: { type: 'string', validators: [url({ message: 'no address' })] },
    kind: { type: 'string', validators: [inclusion(['a', 'b']), exclusion(['c'])] },
    age: { type: 'int', validators: [range({ min: 0, max: 150 }), even] },
    born: { type: 'date', validators: [range({ min: new Date(0) })] },
    serial: bigint({ validators: [range({ max: 10n })] }),
  },
}) {}
is<string>()(new Account().name);
is<string | null | undefined>()(new Account().mail);
// @ts-expect-error both ends of a range are of one type
range({ min: 0, max: new Date() });
// @ts-expect-error misspelt option of a validator
length({ mni: 1 });
// @ts-expect-error a validator says what it finds, not whether
Model.define({ fields: { id: 'int', name: { type: 'string', validators: [(value: unknown) => value === 'x'] } } });
// @ts-expect-error a list
Model.define({ fields: { id: 'int', name: { type: 'string', validators: presence() } } });

// A rule may name the type of its argument.
const short = (value: string): Finding | undefined => (value.length > 3 ? { code: 'short', message: 'is too long' } : undefined);
const odd: Validator = (value: number) => (value % 2 ? undefined : { code: 'odd', message: 'must be odd' });
class Ruled extends Model.define({
  fields: {
    id: 'int',
    code: { type: 'string', validators: [short, (value: string) => (value === value.trim() ? undefined : { code: 'space', message: 'has spaces' })] },
    size: { type: 'int', validators: [odd, (value) => { is<unknown>()(value); return undefined; }] },
  },
}) {}
is<string | undefined>()(new Ruled().code);
class Ranked extends Model.define({
  fields: { id: 'int', code: { type: 'string', sortType: 'natural' }, level: { type: 'string', sortType: (level: string) => level.length }, size: { type: 'int', sortType: (size) => { is<unknown>()(size); return size; } } },
}) {}
is<string | undefined>()(new Ranked().level);
// @ts-expect-error a function, or the name of an order, belongs there
Model.define({ fields: { id: 'int', level: { type: 'string', sortType: 'asText' } } });
// A rule that compares fields names those that it reads.
class Span extends Model.define({
  fields: {
    id: 'int',
    start: 'date',
    end: { type: 'date', validators: [(end: Date, record: { readonly start: Date }) => (end < record.start ? { code: 'order' } : undefined)] },
    note: { type: 'string', validators: [presence({ allowEmpty: true }), (_, record) => { is<object>()(record); return undefined; }] },
  },
}) {}
is<Date | undefined>()(new Span().end);
// @ts-expect-error misspelt option
presence({ allowEmtpy: true });
// @ts-expect-error it still has to say what it finds
Model.define({ fields: { id: 'int', code: { type: 'string', validators: [(value: string) => value === 'x'] } } });

// ── mappings, defaults, conversions ───────────────────────────────────────────
class Mapped extends Model.define({
  naming: 'snake',
  identifier: uuid(),
  fields: {
    id: 'string',
    managerName: { type: 'string', mapping: 'manager.name' },
    total: { type: 'number', mapping: (row) => Number(row['net']) + Number(row['tax']) },
    tags: { type: json<string[]>(), defaultValue: () => [] },
    size: { type: 'string', convert: (raw) => String(raw), serialize: (value, row) => (row['raw'] ? value : Number(value)) },
  },
}) {}
is<string | undefined>()(new Mapped().managerName);
is<number | undefined>()(new Mapped().total);
is<readonly string[]>()(new Mapped().tags);
Model.define({ naming: (field) => field.toUpperCase(), identifier: 'negative', fields: { id: 'int' } });
Model.define({ identifier: { prefix: 'draft-', seed: 100 }, fields: { id: 'string' } });
// @ts-expect-error misspelt option of an identifier
Model.define({ identifier: { prefxi: 'draft-' }, fields: { id: 'string' } });
// @ts-expect-error no such naming
Model.define({ naming: 'camel', fields: { id: 'int' } });

// ── calculated values ─────────────────────────────────────────────────────────
class Computed extends Model.define({
  fields: {
    id: 'int',
    first: 'string',
    loose: { calculate: (record) => record.first },
    told: { calculate: (record): number => record.first.length },
    typed: { type: 'string', calculate: (record) => record.first },
    given: { calculate: ({ first }: { first: string }) => first.length },
  },
}) {}
is<unknown>()(new Computed().loose);
is<number>()(new Computed().told);
is<string>()(new Computed().typed);
is<number>()(new Computed().given);

// ── schemas that give out another type than they take in ──────────────────────
class Schemas extends Model.define({
  fields: {
    id: 'int',
    /* Written back unchanged: their output is valid input. */
    plain: z.string(),
    defaulted: z.string().default('x'),
    branded: z.string().brand<'Name'>(),
    coerced: z.coerce.date(),
    optional: v.optional(v.string(), 'x'),
    either: type("'low' | 'high' | null"),
    loose: z.any(),
    /* Output of another type: with `serialize`, or never written. */
    count: { type: z.string().transform(Number), serialize: (value: number) => String(value) },
    shown: { type: v.pipe(v.string(), v.transform(Number)), persist: false },
  },
}) {}
is<number>()(new Schemas().count);
is<number>()(new Schemas().shown);
is<Date>()(new Schemas().coerced);
is<string>()(new Schemas().optional);
// @ts-expect-error zod, no serialize
Model.define({ fields: { id: 'int', count: z.string().transform(Number) } });
// @ts-expect-error valibot, no serialize
Model.define({ fields: { id: 'int', count: v.pipe(v.string(), v.transform(Number)) } });
// @ts-expect-error arktype, no serialize
Model.define({ fields: { id: 'int', count: type('string.numeric.parse') } });
// @ts-expect-error with other options, but no serialize
Model.define({ fields: { id: 'int', count: { type: z.string().transform(Number), allowNull: true } } });
// @ts-expect-error inside an object
Model.define({ fields: { id: 'int', size: z.object({ n: z.string().transform(Number) }) } });
const stamped: StandardSchemaV1<string, Date> = null as never;
// @ts-expect-error any Standard Schema
Model.define({ fields: { id: 'int', at: stamped } });

// ── embedded models ───────────────────────────────────────────────────────────
class Place extends Model.define({ fields: { street: 'string', city: 'string' } }) {}
class Item extends Model.define({ fields: { sku: 'string', from: embed(Place) } }) {}
class Buyer extends Model.define({
  fields: { id: 'int', name: 'string', home: embed(Place), work: embed(Place, { allowNull: true }), items: embed([Item]) },
}) {}
const buyer = new Buyer({ name: 'Ada', home: { street: 'Main St', city: 'Bern' }, items: [{ sku: 'x', from: { city: 'Oslo' } }, new Item()] });
buyer.set({ home: { city: 'Rome' }, work: null });
buyer.set('home', { city: 'Rome' }).set('home', new Place()).set('home.city', 'Rome').set('work', { city: 'Rome' }).set('work', null);
buyer.set('items', [{ sku: 'y' }]).set('items', (items) => [...items, new Item()]);
is<Place>()(buyer.home);
is<readonly Item[]>()(buyer.items);
const buyers = new Store({ model: Buyer, data: [{ id: 1, home: { city: 'Bern' }, items: [{ sku: 'x' }] }] });
buyers.add({ name: 'Alan', home: { city: 'Bern' } }, buyer);
// @ts-expect-error not one of its fields
new Buyer({ home: { ctiy: 'Bern' } });
// @ts-expect-error wrong value
new Buyer({ home: { city: 7 } });
// @ts-expect-error wrong value in a list
buyers.add({ items: [{ sku: 7 }] });
// @ts-expect-error wrong value
buyer.set('home', { city: 7 });
// @ts-expect-error it may not be null
buyer.set({ home: null });
const addTo = <M extends Model>(store: Store<M>, values: Partial<ValuesOf<M>>): M[] => store.add(values);
is<Buyer[]>()(addTo(buyers, { name: 'x' }));

// ── types for generic code ────────────────────────────────────────────────────
check<Equal<FieldValue<'int'>, number | undefined>>();
check<Equal<FieldValue<{ type: 'date'; allowNull: true }>, Date | null | undefined>>();
check<Equal<Values<{ id: 'int'; at: { calculate: () => number } }>, { id: number; readonly at: number }>>();
const make = <M extends Model>(Class: ModelType<M>, values: Partial<ValuesOf<M>>): M => new Class(values);
is<Account>()(make(Account, { name: 'x' }));
// @ts-expect-error not one of its fields
make(Account, { nmae: 'x' });
const described: Fields = JSON.parse('{ "id": "int" }');
is<unknown>()(new (Model.define({ fields: described }))().get('id')); // fields that are known at run time only
declare const flexible: 'int' | { type: 'string'; allowNull: true };
is<number | string | null | undefined>()(new (Model.define({ fields: { id: 'int', either: flexible } }))().either);
class Own extends Model.define({ fields: { id: 'int', name: 'string' } }) {
  constructor(data?: { id?: number; name?: string }, options?: { phantom?: boolean }) {
    super({ name: 'unnamed', ...data }, options);
  }
}
is<Own>()(await Own.load(1));
is<Own>()(Own.fromRow({ id: 1 }));

// ── fields of a model as data ─────────────────────────────────────────────────
is<'name'>()(fieldsOf(Account).name.name);
is<readonly string[] | undefined>()(fieldsOf(Account).mail.values);
is<string | null | undefined>()(fieldsOf(Account).mail.defaultValue());
is<Date | undefined>()(fieldsOf(Account).born.defaultValue());
// @ts-expect-error no such field
fieldsOf(Account).nick;
// @ts-expect-error fields cannot be changed
fieldsOf(Account).name.label = 'x';
// a class may have a static member of this name
class Listed extends Account { static fields = ['name']; }
is<'name'>()(fieldsOf(Listed).name.name);
const labelsOf = (model: AnyModel): string[] => Object.values(fieldsOf(model)).map(({ label }) => label);
labelsOf(Account);
const accounts = new Store({ model: Account });
labelsOf(accounts.model);
is<string>()(fieldsOf(accounts.model).name.label);
class Admin extends Account.define({ fields: { rights: 'int' } }) {}
is<number | undefined>()(fieldsOf(Admin).rights.defaultValue());
is<'name'>()(fieldsOf(Admin).name.name);

// ── enums ─────────────────────────────────────────────────────────────────────
class Invoice extends Model.define({
  fields: {
    id: 'int',
    status: { type: 'enum', values: ['new', 'paid'] as const },
    level: { type: 'enum', values: [1, 2] as const, allowNull: true },
    loose: { type: 'enum', values: ['a', 'b'], defaultValue: 'a', label: 'Loose' },
  },
}) {}
check<Equal<Invoice['status'], 'new' | 'paid' | undefined>>();
check<Equal<Invoice['level'], 1 | 2 | null | undefined>>();
check<Equal<Invoice['loose'], 'a' | 'b'>>();
check<Equal<FieldInfos<ValuesOf<Invoice>>['status']['values'], readonly ('new' | 'paid')[] | undefined>>();
check<Equal<FieldInfos<ValuesOf<Invoice>>['level']['values'], readonly (1 | 2)[] | undefined>>();
new Invoice({ status: 'paid', level: null });
// @ts-expect-error no value of the enum
new Invoice().status = 'lost';
// @ts-expect-error no value of the enum
new Invoice({ level: 3 });
// @ts-expect-error misspelt option of a field
Model.define({ fields: { id: 'int', status: { type: 'enum', vales: ['new'] } } });

// ── rejected fields ───────────────────────────────────────────────────────────
new Invoice().reject('status', 'level');
// @ts-expect-error no field of this name
new Invoice().reject('statsu');

// ── values that nobody has given ──────────────────────────────────────────────
class Sparse extends Model.define({
  idProperty: 'code',
  fields: {
    code: 'string',
    plain: 'string',
    nullable: { type: 'int', allowNull: true },
    given: { type: 'string', defaultValue: '' },
    demanded: { type: 'string', validators: [presence()] },
    demandedToo: { type: 'date', validators: [length({ max: 3 }), presence({ allowEmpty: true })] },
    short: { type: 'string', validators: [length({ max: 3 })] },
    schema: z.string(),
    computed: { calculate: (record: { readonly plain: string | undefined }) => record.plain ?? '' },
  },
}) {}
const sparse = new Sparse();
is<string | undefined>()(sparse.code);
is<string | undefined>()(sparse.plain);
is<number | null | undefined>()(sparse.nullable);
is<string>()(sparse.given);
is<string>()(sparse.demanded);
is<Date>()(sparse.demandedToo);
is<string | undefined>()(sparse.short);
is<string>()(sparse.schema);
is<string>()(sparse.computed);
// @ts-expect-error no field has this name
Model.define({ idProperty: 'key', fields: { code: 'string' } });
// @ts-expect-error a condition needs a value
where(Sparse).plain.eq(undefined);
// @ts-expect-error a condition needs a value
const conditional: FilterConfig<Sparse> = { property: 'plain', value: undefined };
void conditional;
