import { bigint, decimal, idempotency, Model, plain, type RestProxyConfig, retry } from 'repose';

/** Unusual ways in which the server answers; `--only` names the ones that a run is about. */
export const topics = ['location', 'partial', 'success', 'foreign', 'numbers', 'redirect'] as const;
export type Topic = (typeof topics)[number];

/** Unusual ways in which the user behaves, chosen by the same option. */
export const habits = ['behind', 'rollback', 'restart'] as const;
export type Habit = (typeof habits)[number];

/** The collections of the server. Each has a model of its own. */
export const kinds = ['orders', 'payments', 'parcels', 'items', 'ledgers', 'boxes'] as const;
export type KindName = (typeof kinds)[number];

/** Differences of one collection from the others. */
export interface Kind {
  /** The id of the row with a number, as JSON text; `long`: JavaScript may be unable to hold it. */
  id(number: number, long: boolean): string;
  /** Whether creates carry an idempotency key, which the server honours. */
  readonly keyed: boolean;
  /** Whether writes go through an outbox. */
  readonly queued: boolean;
  /** Whether an update sends the whole row. */
  readonly whole: boolean;
  /** Whether a sync writes many records in one request. */
  readonly bulk: boolean;
  /** Whether the rows have a field named `success`. */
  readonly hasSuccess: boolean;
}

const usual: Kind = {
  id: (number) => String(number),
  keyed: false,
  queued: false,
  whole: true,
  bulk: false,
  hasSuccess: false,
};

export const kindOf: Readonly<Record<KindName, Kind>> = {
  orders: usual,
  payments: { ...usual, id: (number) => JSON.stringify(uuidOf(number)), whole: false, hasSuccess: true },
  parcels: { ...usual, keyed: true },
  items: { ...usual, queued: true },
  // JavaScript rounds neighbouring numbers to the same one.
  ledgers: { ...usual, id: (number, long) => String(long ? 2n ** 53n + BigInt(number) : number) },
  boxes: { ...usual, bulk: true },
};

/** A uuid with letters, which some servers write in capitals. */
function uuidOf(number: number): string {
  return `abcdef01-2345-4678-9abc-${number.toString(16).padStart(12, '0')}`;
}

/** Fields that the user edits. `j.name` is edited by its path. */
export const edited = ['note', 'rank', 'tag', 'big', 'price', 'j.name'] as const;

/** The rank that the server refuses with 422. */
export const REFUSED_RANK = -1;

/** A model for each collection of the server at an origin. */
export function createModels(url: string) {
  const fields = {
    id: 'int',
    ref: 'string',
    note: 'string',
    rank: { type: 'int', allowNull: true },
    tag: 'string',
    big: bigint(),
    price: decimal(),
    count: 'int',
    j: { type: 'json', allowNull: true },
  } as const;
  const proxy = (name: KindName): Partial<RestProxyConfig> & { type: 'rest' } => ({
    type: 'rest',
    baseUrl: url,
    url: `/${name}`,
    noCache: false,
    headers: { 'X-Api-Key': 'secret' },
    batchActions: kindOf[name].bulk,
    ...(!kindOf[name].whole && { dialect: plain() }),
    ...(kindOf[name].keyed && {
      use: [idempotency(), retry({ limit: 1, backoff: { base: 1, max: 3 } })],
    }),
  });
  return {
    orders: class Order extends Model.define({ name: 'order', fields, proxy: proxy('orders') }) {},
    payments: class Payment extends Model.define({
      name: 'payment',
      fields: { ...fields, id: 'string', success: 'boolean' },
      proxy: proxy('payments'),
    }) {},
    parcels: class Parcel extends Model.define({ name: 'parcel', fields, proxy: proxy('parcels') }) {},
    items: class Item extends Model.define({ name: 'item', fields, proxy: proxy('items') }) {},
    ledgers: class Ledger extends Model.define({ name: 'ledger', fields, proxy: proxy('ledgers') }) {},
    boxes: class Box extends Model.define({ name: 'box', fields, proxy: proxy('boxes') }) {},
  } satisfies Record<KindName, unknown>;
}
