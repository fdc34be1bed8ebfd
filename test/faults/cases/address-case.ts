import {
  bigint,
  classic,
  type Dialect,
  Model,
  Operation,
  type OperationConfig,
  ProxyRequest,
  plain,
  RestProxy,
  type RestProxyConfig,
} from 'repose';
import * as dialects from 'repose/dialects';
import type { Random } from '../random.js';

/** A request about one record, with hostile texts in every place that takes one. */
export interface AddressCase {
  readonly proxy: RestProxy;
  readonly operation: Operation;
  /** The path of the collection, decoded. */
  readonly base: string;
  /** The path that a server must see, decoded. Undefined if an override of `encodeId` decides about its end. */
  readonly path: string | undefined;
  /** The parameter that names the record; undefined if none has to. */
  readonly parameter: string | undefined;
  /** Whether the path must go on behind the collection. */
  readonly namesRecord: boolean;
  /** Whether the request must be sent: nothing in it is hostile. */
  readonly mustPass: boolean;
  /** Whether the request may be sent. */
  readonly mayPass: boolean;
  /** Description for findings. */
  readonly shown: string;
}

const dialectsByName: Readonly<Record<string, Dialect>> = {
  classic,
  plain: plain(),
  ext6: dialects.ext6(),
  directus: dialects.directus(),
  django: dialects.django({ paging: 'limitOffset' }),
  feathers: dialects.feathers(),
  jsonApi: dialects.jsonApi(),
  jsonServer: dialects.jsonServer({ version: '1' }),
  laravel: dialects.laravel(),
  linkHeader: dialects.linkHeader(),
  odata4: dialects.odata4(),
  odataSegments: dialects.odata4({ keys: 'segments' }),
  pocketbase: dialects.pocketbase(),
  postgrest: dialects.postgrest(),
  rails: dialects.rails(),
  redmine: dialects.redmine({ record: 'user' }),
  springData: dialects.springData(),
  strapi: dialects.strapi({ version: 5 }),
};

/** Overrides of `encodeId` as applications write them, well or not. */
const encodings: Readonly<Record<string, (id: unknown, random: string) => string>> = {
  raw: (id) => String(id),
  encoded: (id) => encodeURIComponent(String(id)),
  slashes: () => '//',
  fixed: (_, text) => text,
  empty: () => '',
};

const pieces = [
  ...[
    '7',
    'a',
    'users',
    '.',
    '..',
    '...',
    '/',
    '\\',
    '//',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5C',
    '%252e',
    '%',
    '%00',
    '?',
    '#',
  ],
  ...[';', ':', '@', '&', '=', "'", "''", '(', ')', ',', ' ', '+', '-', '*', '{team}', 'é', '😀', '\u00a0', '\uff0f'],
  ...['\u0000', '\n', '\u007f', '\u0085', '\ud800', '\udc00', '.json', '/../../users/1', "'/../../users('1"],
];
const idTypes = ['string', 'int', 'bigint', 'auto'] as const;
type IdType = (typeof idTypes)[number];

const models = {
  string: class User extends Model.define({ fields: { id: 'string', name: 'string' } }) {},
  int: class User extends Model.define({ fields: { id: 'int', name: 'string' } }) {},
  bigint: class User extends Model.define({ fields: { id: bigint(), name: 'string' } }) {},
  auto: class User extends Model.define({ fields: { id: 'auto', name: 'string' } }) {},
} satisfies Record<IdType, unknown>;

/** A text of a few hostile pieces. */
function hostileText(random: Random, most: number, least: number = 0): string {
  let text = '';
  for (let left = random.integer(least, most); left > 0; left -= 1) text += random.pick(pieces);
  return text;
}

interface Setting {
  readonly dialect: string;
  readonly encoding: string;
  readonly isTemplate: boolean;
  readonly appendId: boolean;
  readonly format: string | undefined;
}

/** Makes cases. Proxies are made once for each setting: making one takes longer than a case. */
export class AddressCases {
  private readonly proxies: Map<string, RestProxy> = new Map();
  /** The text that the encoding `fixed` returns in this case. */
  private fixed = '';

  /** `config`: options of every proxy, such as `baseUrl`. */
  constructor(private readonly config: RestProxyConfig) {}

  next(random: Random): AddressCase {
    const dialect = random.pick(Object.keys(dialectsByName));
    const isOverridden = random.chance(0.2);
    const setting: Setting = {
      dialect,
      encoding: isOverridden ? random.pick(Object.keys(encodings)) : 'none',
      isTemplate: random.chance(0.3),
      appendId: dialect === 'feathers' || random.chance(0.9),
      // A key in parentheses takes no format.
      format: dialect !== 'odata4' && random.chance(0.15) ? 'json' : undefined,
    };
    const type = random.pick(idTypes);
    const id = randomId(random);
    const team = hostileText(random, 3);
    const subpath = random.chance(0.15) ? hostileText(random, 3) : undefined;
    const action = random.pick(['read', 'update', 'destroy'] as const);
    const anyId = action === 'read' && subpath === undefined && random.chance(0.2);
    this.fixed = hostileText(random, 3);

    const proxy = this.proxyOf(setting);
    const operation = operationOf({ action, id, type, team, subpath, anyId });
    const isInPath = setting.appendId && dialect !== 'postgrest';
    const base = setting.isTemplate ? `/api/teams/${team}/users` : '/api/users';
    const key = dialect === 'odata4' ? `(${literalOf(id, type)})` : `/${String(id)}`;
    const path = base + (isInPath ? key : '') + (subpath === undefined ? '' : `/${subpath}`);
    const values = [...(setting.isTemplate ? [team] : []), ...(subpath === undefined ? [] : [subpath])];
    const isOwn = isInPath && isOverridden;
    const fitsType = anyId || type === 'string' || type === 'auto' || /^[+-]?\d+$/.test(String(id));
    // Types of numbers may take a plus sign or refuse it.
    const hasPlus = /^\+\d+$/.test(String(id));
    const isSafe = isSendable(id) && fitsType && values.every(isSegment);
    const mayPass = isSafe && (isOwn || !isInPath || isSegment(dialect === 'odata4' ? literalOf(id, type) : id));
    return {
      ...{ proxy, operation, base, mayPass, mustPass: mayPass && !isOwn && !values.includes('') && !hasPlus },
      path: isOwn ? undefined : withFormat(path, setting.format),
      parameter: dialect === 'postgrest' ? `eq.${id}` : undefined,
      namesRecord: isInPath && action !== 'read',
      shown: `${action} ${JSON.stringify({ ...setting, type, id, team, subpath, anyId, fixed: this.fixed })}`,
    };
  }

  private proxyOf(setting: Setting): RestProxy {
    const key = JSON.stringify(setting);
    const proxy = this.proxies.get(key) ?? this.createProxy(setting);
    this.proxies.set(key, proxy);
    return proxy;
  }

  private createProxy({ dialect, encoding, isTemplate, appendId, format }: Setting): RestProxy {
    const config: RestProxyConfig = {
      ...this.config,
      ...{ url: isTemplate ? '/api/teams/{team}/users' : '/api/users', noCache: false, appendId, format },
      dialect: dialectsByName[dialect] ?? classic,
    };
    const encode = encodings[encoding];
    if (!encode) return new RestProxy(config);
    const textOf = () => this.fixed;
    class Encoding extends RestProxy {
      override encodeId(id: unknown): string {
        return encode?.(id, textOf()) ?? '';
      }
    }
    return new Encoding(config);
  }
}

function randomId(random: Random): string | number {
  if (random.chance(0.15)) return random.integer(1, 99);
  return random.chance(0.1) ? '42' : hostileText(random, 4, 1);
}

/** An operation of a record, as records, `load()` and `send()` make it. */
function operationOf(given: {
  readonly action: 'read' | 'update' | 'destroy';
  readonly id: string | number;
  readonly type: IdType;
  readonly team: string;
  readonly subpath: string | undefined;
  readonly anyId: boolean;
}): Operation {
  const { action, id, type, team, subpath, anyId } = given;
  const record = models[type].fromRow({ id: id as never, name: 'a' });
  const records = [record] as unknown as NonNullable<OperationConfig['records']>;
  const operation: Operation = new Operation({ action, id, anyId, records, pathParams: { team } });
  if (subpath === undefined) return operation;
  const sent = { ...(action === 'read' ? { method: 'GET' } : { method: 'POST', body: {} }), subpath, named: true };
  operation.request = Object.assign(new ProxyRequest({ operation }), sent);
  return operation;
}

/** The key of an entity in OData. */
function literalOf(id: string | number, type: IdType): string {
  const isBare =
    typeof id === 'number' ? type !== 'string' : /^-?\d+$/.test(id) && (type === 'int' || type === 'bigint');
  return isBare ? String(id) : `'${String(id).replaceAll("'", "''")}'`;
}

function withFormat(path: string, format: string | undefined): string {
  return format === undefined ? path : path + (path.endsWith('.') ? '' : '.') + format;
}

/** Whether no character of a text is a control character or half of one. */
function isSendable(text: string | number): boolean {
  return ![...String(text)].some((each) => {
    const code = each.codePointAt(0) as number;
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000);
  });
}

/** Whether a text stays where it is put into a path, also where the path is decoded. */
function isSegment(text: string | number): boolean {
  const parts = String(text).split(/[/\\]/);
  return isSendable(text) && !parts.includes('.') && !parts.includes('..') && (text === '' || parts.some(Boolean));
}
