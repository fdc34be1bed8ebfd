import { checkNames, checkOptions, checkValues, inDevelopment } from '../dev/checks.js';
import { checkPath } from '../errors/mistakes.js';
import { callable, flag, object, oneOf, type Rules, string, worded } from '../errors/option-rules.js';
import { idFieldsOf, MODEL, type OperationRecord, type WireField } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { CompositeId } from '../util/composite-id.js';
import {
  type Data,
  type DataPath,
  deletePath,
  getMember,
  hasPath,
  parsePath,
  readPath,
  setMember,
  setMembers,
  withPath,
  writePath,
} from '../util/data-path.js';
import { assignOptions } from '../util/options.js';

/** A format of bodies. */
export type BodyType = 'json' | 'form' | 'multipart';

/**
 * How a form names the parts of nested values: `brackets` as PHP and Rails do (`user[name]`, `tags[]`, `items[0][name]`), `dots` as
 * Spring and ASP.NET do (`user.name`, `tags[0]`, `items[0].name`), or a function of the path.
 */
export type FormNames = 'brackets' | 'dots' | ((path: DataPath) => string);

/** The texts of values that a form has no text for. */
export interface FormTexts {
  /** The text of true. @default 'true' */
  true?: string;
  /** The text of false. @default 'false' */
  false?: string;
  /** The text of null. @default '' */
  null?: string;
  /** The text of a list or an object without members, sent under its name (`tags[]=`). @default none: such a value is refused */
  empty?: string;
}

/** Options of the writer. */
export interface JsonWriterConfig {
  /**
   * Format of bodies. `form` is `application/x-www-form-urlencoded`, and `multipart/form-data` if a value is a `File` or `Blob`;
   * `multipart` is JSON, and `multipart/form-data` if a value is a `File` or `Blob`. Both need `formBodies()` in the proxy's `use`.
   * @default 'json'
   */
  type?: BodyType;
  /**
   * How a form names the parts of lists and objects. Without it, such a value is refused with `ValidationError`.
   *
   * @example
   * ```ts
   * // user[name]=Ada&user[tags][]=a&user[tags][]=b
   * const proxy = new RestProxy({
   *   url: '/users',
   *   writer: { type: 'form', names: 'brackets', rootProperty: 'user' },
   *   use: [formBodies()],
   * });
   * ```
   */
  names?: FormNames;
  /** Texts that a form has for true, false, null and empty lists. @default { true: 'true', false: 'false', null: '' } */
  values?: FormTexts;
  /** Whether an update sends the whole row instead of the edited fields. @default false for PATCH, true for PUT and POST */
  writeAllFields?: boolean;
  /** Whether a create sends the client's id. A model with `identifier: 'natural'` always sends it. @default false */
  writeRecordId?: boolean;
  /** Whether members of the row that no field declares are sent back unchanged. @default true */
  undeclared?: boolean;
  /**
   * How much an update that sends only edited fields sends for a field that is mapped inside a member (`mapping: 'address.city'`).
   * `'replace'` sends the whole top-level member as it was received, with the edit in it: it is right for every server. `'merge'`
   * sends the edited path only, for servers that merge deeply, such as those that take `application/merge-patch+json`.
   * @default 'replace'
   *
   * @example
   * ```ts
   * // PATCH /users/7 {"address":{"city":"Oslo"}}
   * const proxy = new RestProxy({
   *   url: '/users',
   *   dialect: plain(),
   *   headers: { 'Content-Type': 'application/merge-patch+json' },
   *   writer: { nested: 'merge' },
   * });
   * ```
   */
  nested?: 'replace' | 'merge';
  /**
   * Whether a create leaves out members that are null. Inside objects and lists, null is sent. @default false
   */
  omitNull?: boolean;
  /** Path to wrap the body in. @default '' */
  rootProperty?: string;
  /** Whether a single record is sent as an object instead of an array with one item. @default true */
  allowSingle?: boolean;
  /** Whether members get the names of the fields' `mapping` or the fields' own names. @default 'mapping' */
  nameProperty?: 'mapping' | 'name';
  /** Member for the client's id of a new record, by which the response's rows are matched. @default '' (not sent) */
  clientIdProperty?: string;
  /**
   * Changes the body (an object, or an array of objects) before it becomes JSON. Numbers that JavaScript cannot hold are `LongNumber`
   * objects in the body.
   *
   * @example
   * ```ts
   * const writer = { transform: (body: unknown) => ({ source: 'web', user: body }) };
   * const Wrapped = User.with({ proxy: { writer } });
   * await new Wrapped({ name: 'Ada' }).save(); // POST /users {"source":"web","user":{"name":"Ada"}}
   * ```
   */
  transform?: (body: unknown, request: ProxyRequest) => unknown;
}

const defaults: { [K in keyof Required<JsonWriterConfig>]: JsonWriterConfig[K] } = {
  type: 'json',
  names: undefined,
  values: {},
  writeAllFields: undefined,
  writeRecordId: false,
  undeclared: true,
  nested: 'replace',
  omitNull: false,
  rootProperty: '',
  allowSingle: true,
  nameProperty: 'mapping',
  clientIdProperty: '',
  transform: undefined,
};

const RULES: Rules<JsonWriterConfig> = {
  type: /* @__PURE__ */ oneOf('json', 'form', 'multipart'),
  names: {
    expected: "'brackets', 'dots', or a function of the path",
    holds: (value) => value === 'brackets' || value === 'dots' || callable.holds(value),
  },
  values: object,
  writeAllFields: flag,
  writeRecordId: flag,
  undeclared: flag,
  nested: /* @__PURE__ */ oneOf('replace', 'merge'),
  omitNull: flag,
  rootProperty: /* @__PURE__ */ worded(string, "a path such as 'data'"),
  allowSingle: flag,
  nameProperty: /* @__PURE__ */ oneOf('mapping', 'name'),
  clientIdProperty: /* @__PURE__ */ worded(string, 'the name of a member'),
  transform: callable,
};

const VALUE_RULES: Rules<FormTexts> = { true: string, false: string, null: string, empty: string };

/**
 * Writes records as bodies of requests, before they become JSON or a form. Members that were not edited are sent exactly as they were
 * received. In development, the constructor throws `DefinitionError` for a malformed path.
 *
 * @example
 * ```ts
 * const writer = new JsonWriter({ rootProperty: 'user', writeAllFields: true });
 * const Wrapped = User.with({ proxy: { writer } });
 * await new Wrapped({ name: 'Ada' }).save(); // POST /users {"user":{"name":"Ada"}}
 * ```
 */
export class JsonWriter {
  declare readonly type: BodyType;
  declare readonly names: FormNames | undefined;
  declare readonly values: FormTexts;
  declare readonly writeAllFields: boolean | undefined;
  declare readonly writeRecordId: boolean;
  declare readonly undeclared: boolean;
  declare readonly nested: 'replace' | 'merge';
  declare readonly omitNull: boolean;
  declare readonly rootProperty: string;
  declare readonly allowSingle: boolean;
  declare readonly nameProperty: 'mapping' | 'name';
  declare readonly clientIdProperty: string;
  declare readonly transform: ((body: unknown, request: ProxyRequest) => unknown) | undefined;

  constructor(config: JsonWriterConfig = {}) {
    checkNames(config, 'writer', this.constructor as typeof JsonWriter, 'writer');
    checkValues(config, 'writer', RULES);
    assignOptions(this, config, {}, defaults);
    checkOptions('writer.values', this.values, VALUE_RULES);
    inDevelopment(checkPath, this.rootProperty, 'writer.rootProperty');
  }

  /**
   * The names of all options. A writer class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'sheet']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(defaults);
  }

  /** The body of a write; undefined for no body. */
  write(request: ProxyRequest): unknown {
    const { action, operation, bulk } = request;
    if (action === 'read' || operation.records.length === 0) return undefined;
    // If the address does not contain the id, the body must.
    if (action === 'destroy' && !bulk && request.addressed) return undefined;
    const rows = operation.records.map((record) =>
      action === 'destroy' ? this.putId({}, record) : this.row(record, request),
    );
    const { rootProperty, transform } = this;
    let body: unknown = rows.length === 1 && this.allowSingle && !bulk ? rows[0] : rows;
    if (transform) body = transform(body, request);
    return rootProperty ? withPath({}, parsePath(rootProperty), body) : body;
  }

  /** Writes one record for the body. */
  row(record: OperationRecord, request: ProxyRequest): Data {
    const create = request.action === 'create';
    const whole = create || (this.writeAllFields ?? request.method?.toUpperCase() !== 'PATCH');
    // The body contains the id in the bulk form, and if the address does not contain it.
    const sendsId = !create && (request.bulk === true || !request.addressed);
    const row = whole ? this.wholeRow(record, create) : this.editedRow(record, sendsId);
    if (create && this.omitNull) deleteNulls(row);
    if (create) this.putClientId(row, record);
    else if (sendsId) this.putId(row, record);
    return row;
  }

  /**
   * Whether an update that sends only edited fields sends whole members for these fields, so that these members must be known
   * completely.
   */
  sendsMembers(fields: Iterable<WireField>): boolean {
    if (this.nested === 'merge' || this.nameProperty !== 'mapping') return false;
    for (const { path, persist } of fields) if (persist && path !== undefined && path.length > 1) return true;
    return false;
  }

  /** The received row with the edits written over it. */
  wholeRow(record: OperationRecord, create: boolean = false): Data {
    const model = record[MODEL];
    const received = model.row(record);
    const edits = model.edits(record);
    const renames = this.nameProperty === 'name';
    const sent = this.sentFields(record, create);
    const row = this.uneditedRow(record, create, sent);
    // Edits are written last, because the received value of one field may contain the member of another field.
    for (const field of sent) {
      if (!edits.has(field)) continue;
      // The received value shows the form to write: a date that came as a number is written as a number.
      const source = renames || (field.path && !this.undeclared) ? received : row;
      this.put(row, field, field.write(edits.get(field), source), received);
    }
    return row;
  }

  /** The fields that a whole row contains. */
  private sentFields(record: OperationRecord, create: boolean): readonly WireField[] {
    const model = record[MODEL];
    const sendsId = !create || model.naturalId || model.edits(record).has(model.idField);
    return model.fields.filter((field) => field.persist && (sendsId || field !== model.idField));
  }

  /** The received row without the members that are not sent. Edited fields may be missing. */
  private uneditedRow(record: OperationRecord, create: boolean, sent: readonly WireField[]): Data {
    const model = record[MODEL];
    const received = model.row(record);
    const edits = model.edits(record);
    const renames = this.nameProperty === 'name';
    // The row of a new record holds what was given to it, by mappings.
    const row: Data = this.undeclared && !(create && renames) ? { ...received } : writtenMembers(sent, received);
    if (this.undeclared && create && renames)
      for (const [name, value] of Object.entries(received)) if (model.keepsMember?.(name)) setMember(row, name, value);
    for (const { path } of model.fields) {
      // A member that a field writes stays whole. With the fields' own names, all mapped members are removed first, because one
      // field's name may be another field's mapping.
      const stays = !renames && sent.some((each) => path?.every((name, i) => each.path?.[i] === name));
      if (path && !stays) deletePath(row, path);
    }
    if (renames || !this.undeclared) {
      for (const field of sent) {
        const { path } = field;
        if (edits.has(field) || !path || !hasPath(received, path)) continue;
        this.put(row, field, readPath(received, path), received);
      }
    }
    return row;
  }

  private editedRow(record: OperationRecord, sendsId: boolean): Data {
    const row: Data = {};
    const model = record[MODEL];
    const received = model.row(record);
    const edits = model.edits(record);
    const members = this.sendsMembers([...edits.keys(), ...(sendsId ? idFieldsOf(model) : [])])
      ? this.uneditedRow(record, false, this.sentFields(record, false))
      : undefined;
    // Edits are applied in the order they were made: if two fields share a member, the later edit wins.
    for (const [field, value] of edits) {
      if (!field.persist) continue;
      if (members) putMember(row, field, members);
      const written = field.write(value, received);
      // JSON has no undefined, and an omitted member keeps its value on the server: null empties it.
      this.put(row, field, value === undefined && field.path ? (written ?? null) : written, received);
    }
    // The id needs its whole member too.
    if (sendsId && members) for (const field of idFieldsOf(model)) putMember(row, field, members);
    return row;
  }

  private putId(row: Data, record: OperationRecord): Data {
    const model = record[MODEL];
    const id = model.serverId(record);
    for (const [at, field] of idFieldsOf(model).entries()) {
      const path = this.pathOf(field);
      if (!hasPath(row, path)) writePath(row, path, model.idParts ? (id as CompositeId)[at] : id);
    }
    return row;
  }

  private putClientId(row: Data, record: OperationRecord): void {
    const model = record[MODEL];
    const id = model.serverId(record);
    if (id === undefined) return;
    if (!model.idParts && (this.writeRecordId || model.naturalId) && !model.edits(record).has(model.idField))
      this.put(row, model.idField, model.idField.write(id, row));
    if (this.clientIdProperty) setMember(row, this.clientIdProperty, typeof id === 'bigint' ? String(id) : id);
  }

  /** Writes the JSON value of a field into a row. */
  private put(row: Data, field: WireField, written: unknown, received: Data = row): void {
    // A field with a function as its mapping has no member: its `serialize` returns the members to write.
    if (!field.path) return setMembers(row, written);
    const path = this.pathOf(field);
    for (const [i, name] of path.entries()) {
      // A list is sent whole, because a part of it would remove its other items.
      const part = path.slice(0, i);
      const list = readPath(row, part) ?? readPath(received, part);
      if (Array.isArray(list) && /^\d+$/.test(String(name))) writePath(row, part, list);
    }
    writePath(row, path, written);
  }

  private pathOf({ name, path }: WireField): DataPath {
    return (this.nameProperty === 'mapping' && path) || [name];
  }
}

/** Puts the whole top-level member of a field that lies inside it into a row, unless the row has it already. */
function putMember(row: Data, { path }: WireField, members: Data): void {
  const [member] = path && path.length > 1 ? path : [];
  if (member !== undefined && !hasPath(row, [member]) && hasPath(members, [member]))
    setMember(row, member, getMember(members, member));
}

/** Removes the members of a row that are null. */
function deleteNulls(row: Data): void {
  for (const [name, value] of Object.entries(row)) if (value === null) delete row[name];
}

/** Received members that only fields with a function mapping write. */
function writtenMembers(fields: readonly WireField[], received: Data): Data {
  const row: Data = {};
  for (const field of fields) {
    const value = field.path ? undefined : field.raw(received);
    if (value === undefined || !field.writable) continue;
    for (const name of Object.keys(field.write(field.read(value), received) ?? {}))
      if (hasPath(received, [name])) writePath(row, [name], received[name]);
  }
  return row;
}
