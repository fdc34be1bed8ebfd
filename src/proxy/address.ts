import { describe } from '../errors/message-format.js';
import { AddressError } from '../errors/mistakes.js';
import { encodeParam } from '../http/params.js';
import { encodeSegment, encodeText, isValidId, parseUrl, sendableId, type UrlParts } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel, type WireField } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import type { Addresses } from './proxy-config.js';
import type { ProxyRequest } from './proxy-request.js';

/** The address in the option `api.list` or `api.read`. */
export function readUrl(address: Addresses['list']): string | undefined {
  return typeof address === 'object' ? address.url : address;
}

/**
 * Fills each `{name}` in a path, and notes the names in the request. The value comes from the `pathParams` of the call, else of the load of
 * a singleton's record, else of the proxy, else from the record's field. Throws `AddressError` if a name has no value or an unsafe one.
 */
export function fillTemplate(path: string, request: ProxyRequest, proxyParams: object | undefined): string {
  const { operation, action, bulk } = request;
  const filled: string[] = [];
  request.filled = filled;
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    filled.push(name);
    const part = action === 'create' ? undefined : idPartOf(operation, name);
    let value = getMember(operation.pathParams, name);
    if (value === undefined) value = getMember(rememberedParams(operation), name);
    if (value === undefined) value = getMember(proxyParams, name);
    if (part !== undefined && value !== undefined && String(value) !== String(part))
      throw new AddressError('id-parts-other', { name });
    if (value === undefined && operation.records.length === 0) value = part;
    if (value === undefined) {
      const records = bulk ? operation.records : operation.records.slice(0, 1);
      const values = records.map((each) => each[MODEL].templateValue(each, name, action !== 'create'));
      value = values[0];
      // At the address of the first record, the request would move the others, or erase other records with the same ids.
      if (values.some((each) => String(each) !== String(value)))
        throw new AddressError('template-several', { name, url: path });
    }
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      throw new AddressError('template-missing', { name, url: path });
    }
    return encodeSegment(value);
  });
}

/** The part of the id of an operation's record that a field holds; undefined if the field is no part of the id. */
function idPartOf({ records, id, model }: Operation, name: string): unknown {
  const [record] = records;
  const { idParts } = record?.[MODEL] ?? model ?? {};
  const at = idParts?.findIndex((field) => field.name === name) ?? -1;
  if (at < 0) return undefined;
  const own = record && !record.phantom ? record[MODEL].serverId(record) : id;
  return Array.isArray(own) ? own[at] : undefined;
}

/** Fills the `{name}`s of a path that have a value in one of the sources; the others stay. The result only identifies a place. */
export function fillKnown(path: string, sources: readonly (object | undefined)[]): string {
  return path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = sources.map((source) => getMember(source, name)).find((each) => each !== undefined);
    return value === undefined ? whole : encodeText(String(value));
  });
}

/** The `pathParams` that the first record was loaded or created with, if its proxy is a `singleton`. */
function rememberedParams({ records: [record] }: Operation): object | undefined {
  return record?.[MODEL].pathParams?.(record);
}

/**
 * Throws `AddressError` for ids that no request may carry, wherever the dialect puts them: texts that cannot be sent, and values that the type of
 * the id field does not take, which would then name something else. Types that take every text are not asked.
 */
export function checkIds({ action, records, id, model, anyId }: Operation): void {
  const isAny = anyId && action === 'read';
  if (typeof id === 'string') sendableId(id);
  if (records.length === 0 && !isAny) checkId(id, model);
  for (const record of records) {
    const { [MODEL]: own, phantom } = record;
    const given = phantom ? id : own.serverId(record);
    if (typeof given === 'string') sendableId(given);
    if (!isAny && (own.idField.takes || own.idParts)) checkId(given, own);
  }
}

/** Throws `AddressError` for an id that the type of the model's id field does not take. */
export function checkId(id: unknown, model: RecordModel | undefined): void {
  if (!model || !isValidId(id)) return;
  const { idParts, idField } = model;
  const isPart = (part: unknown) => isValidId(part) && typeof part !== 'object';
  if (idParts && !(Array.isArray(id) && id.length === idParts.length && id.every(isPart)))
    throw idPartsError(model, id);
  for (const [at, field] of (idParts ?? [idField]).entries()) {
    const { takes, name, type } = field;
    const value: unknown = idParts ? (id as readonly unknown[])[at] : id;
    if (!takes || takes(value) || takesText(value, field, takes)) continue;
    // An object or a number without its digits has an error of its own.
    sendableId(value);
    throw new AddressError('id-field', { value, model: model.name, field: name, type });
  }
}

/** The error of an id that lacks some of its parts. */
export function idPartsError({ name: model, idParts = [], messages }: RecordModel, id: unknown): AddressError {
  const names = idParts.map((field) => `'${field.name}'`).join(', ');
  return new AddressError('id-parts', { model, names, value: describe(id) }, { messages });
}

/** Whether the type takes the text of an id that it does not take as it is. */
function takesText(id: unknown, { type }: WireField, takes: (raw: unknown) => boolean): boolean {
  if (id instanceof LongNumber) return true;
  if (typeof id !== 'string') return takes(String(id));
  if (!/^-?\d+$/.test(id)) return false;
  // An address holds text: `'7'` is the id of record 7, also where a schema takes only numbers, or the number would lose digits.
  return /^(?:int|number|decimal)$/.test(type) || takes(Number(id));
}

/** A base address and its parts. */
interface Base extends UrlParts {
  readonly text: string;
}

/** Caches the repeated parts of addresses: parsed bases, encoded parameters. */
export class UrlCache {
  private readonly bases: Map<string, Base> = new Map();
  private readonly params: Map<string, { value: unknown; separator: string; text: string }> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();
  private last: Base = createBase('');

  /** The parts of a base. The last base is compared first, which is fastest. */
  parts(text: string): UrlParts {
    if (text !== this.last.text) this.last = this.bases.get(text) ?? keep(this.bases, text, createBase(text));
    return this.last;
  }

  /** An encoded parameter after its separator; `''` if the value is not sent. The last text of each name is cached. */
  param(separator: string, name: string, value: unknown): string {
    const last = this.params.get(name);
    // An object may have been mutated since, so its text is not reused.
    if (last && last.value === value && last.separator === separator && typeof value !== 'object') return last.text;
    const text = encodeParam(name, value);
    return keep(this.params, name, { value, separator, text: text && separator + text }).text;
  }

  /** The text that `make` returns for a list of sorters or filters. It is cached if the list is frozen, as long as the list exists. */
  kept(list: readonly object[], make: () => string): string {
    let text = this.texts.get(list);
    if (text === undefined) {
      text = make();
      if (Object.isFrozen(list)) this.texts.set(list, text);
    }
    return text;
  }
}

function createBase(text: string): Base {
  return { ...parseUrl(text), text };
}

/** Adds a value to a cache, which is cleared first if it has grown too large. */
function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size > 100) map.clear();
  map.set(key, value);
  return value;
}
