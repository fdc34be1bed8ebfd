import type { Plain, RecordedOperation, RecordedRecord, Recording } from './recording.js';
import { MASK } from './secrets/secret-mask.js';

/** Options of {@link toTest}. */
export interface TestFileOptions {
  /** The module that exports the model classes, as the test imports it. @default './models.js' */
  models?: string;
  /** The names of the classes, by the names of their models. @default the name of the model, in the form of a class name */
  classes?: Readonly<Record<string, string>>;
  /** The title of the test. @default a list of the operations */
  title?: string;
}

/**
 * Makes a test of a recording: a file for Vitest that does again what was recorded, against the recorded responses, and expects the same
 * requests and the same outcomes. The file needs the models of the application. Calls by `proxy.send()` and aborted operations are not
 * repeated; the file says so.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { toTest } from 'repose/devtools';
 *
 * await writeFile('recorded.test.ts', toTest(recorder.recording(), { models: '../src/models.js' }));
 * ```
 */
export function toTest(recording: Recording, options: TestFileOptions = {}): string {
  const { models = './models.js', classes = {} } = options;
  const steps = recording.operations.map((operation) => ({ operation, code: stepOf(operation, classes) }));
  const used = new Set(steps.flatMap(({ operation: { model }, code }) => (model && code.isRun ? [model] : [])));
  const names = [...new Set([...used].map((model) => classNameOf(model, classes)))];
  const lines = steps.map(({ code }) =>
    code.lines.map((line) => (names.includes('Store') ? line.replace(A_STORE, '$1ListStore(') : line)),
  );
  const needsStore = steps.some(({ code }) => code.lines.some((line) => A_STORE.test(line)));
  const title = options.title ?? titleOf(recording);
  return [
    `import { replay } from 'repose/testing';`,
    ...(needsStore ? [`import { Store${names.includes('Store') ? ' as ListStore' : ''} } from 'repose';`] : []),
    `import { expect, test } from 'vitest';`,
    ...(names.length > 0 ? [`import { ${names.join(', ')} } from ${JSON.stringify(models)};`] : []),
    '',
    '// Made from a recording of the inspector. Secrets are masked in it.',
    `const recording = ${literal(compact(recording), '')} as const;`,
    '',
    `test(${JSON.stringify(title)}, async () => {`,
    '  const server = replay(recording);',
    ...names.map((name) => `  const Tested${name} = server.model(${name});`),
    ...lines.flatMap((each) => ['', ...each.map((line) => `  ${line}`)]),
    '',
    '  // Requests of the recording that were not sent again.',
    `  expect(server.unused).toEqual(${JSON.stringify(notRepeated(steps))});`,
    '});',
    '',
  ].join('\n');
}

/** The line that makes a store. A model may be called `Store` too. */
const A_STORE = /^( *const store = new )Store\(/;

interface Step {
  readonly isRun: boolean;
  readonly lines: readonly string[];
}

function stepOf(operation: RecordedOperation, classes: TestFileOptions['classes']): Step {
  const { number, kind, model, state } = operation;
  // A line break in an id would end the comment, and the rest of the id would be code.
  const what = `${number}. ${describeOperation(operation)}`.replace(/[\n\r\u2028\u2029]+/g, ' ');
  const skip = (why: string): Step => ({ isRun: false, lines: [`// ${what}: ${why}.`] });
  if (kind === 'count') return skip('sent by the read of the list');
  if (kind === 'call') return skip('a call by `proxy.send()` is not repeated');
  if (state === 'running' || state === 'aborted') return skip(`it was ${state === 'running' ? 'running' : 'aborted'}`);
  if (!model) return skip('it has no model');
  if (kind !== 'read' && operation.moreRecords > 0) return skip('not all of its records were kept');
  const tested = `Tested${classNameOf(model, classes)}`;
  const body = kind === 'read' ? readStep(operation, tested) : writeStep(operation, tested);
  return { isRun: true, lines: [`// ${what}`, '{', ...body.map((line) => `  ${line}`), '}'] };
}

function readStep(operation: RecordedOperation, tested: string): string[] {
  const { query = {}, records, moreRecords, total, state } = operation;
  const { id, sorters, filters, grouper, search, fields, page, start, limit = 0, params, pathParams, link } = query;
  const call = code({ params, pathParams });
  if (id !== undefined) {
    const load = `${tested}.load(${code(id)}${call === '{}' ? '' : `, ${call}`} as never)`;
    if (state !== 'done') return [rejects(load, operation)];
    const [record] = records;
    const isNew = record && record.before === undefined && record.after;
    return isNew
      ? [`const record = await ${load};`, matches(record.after)]
      : [`expect((await ${load}).getId()).toEqual(${code(id)});`];
  }
  const options = code({ sorters, filters, grouper, pageSize: limit, remoteSort: true, remoteFilter: true });
  const where = code({ page, start, params, pathParams, fields, next: link === undefined ? undefined : { url: link } });
  const lines = [`const store = new Store({ model: ${tested}, ...(${options} as object) });`];
  if (search !== undefined) lines.push(`store.search(${code(search)});`);
  const load = `store.load(${where === '{}' ? '' : `${where} as never`})`;
  if (state !== 'done') return [...lines, rejects(load, operation)];
  lines.push(`const records = await ${load};`);
  const ids = code(records.map((record) => record.id));
  const found = 'records.map((record) => record.getId())';
  lines.push(`expect(${moreRecords > 0 ? `${found}.slice(0, ${records.length})` : found}).toEqual(${ids});`);
  if (total !== undefined) lines.push(`expect(store.total).toBe(${code(total)});`);
  return lines;
}

function writeStep(operation: RecordedOperation, tested: string): string[] {
  const { number, kind, records, state } = operation;
  if (records.length > 1) return bulkStep(operation, tested);
  const [record] = records as readonly [RecordedRecord | undefined];
  if (!record) return ['// It wrote no records.'];
  const make =
    kind === 'create'
      ? `const record = new ${tested}(${code(newValues(record))} as never);`
      : `const record = server.record(${tested}, ${number});`;
  const lines = [make];
  if (kind === 'update') lines.push(`record.set(${code(record.sent ?? {})} as never);`);
  const call = kind === 'destroy' ? 'record.erase()' : 'record.save()';
  if (state !== 'done') return [...lines, rejects(call, operation)];
  lines.push(`await ${call};`);
  if (kind === 'destroy') lines.push('expect(record.erased).toBe(true);');
  else if (record.after && !record.isEdited) lines.push(matches(record.after));
  return lines;
}

function bulkStep({ number, kind, records }: RecordedOperation, tested: string): string[] {
  const lines = [`const store = new Store({ model: ${tested} });`];
  if (kind === 'create') lines.push(...records.map((record) => `store.add(${code(newValues(record))} as never);`));
  else lines.push(`const records = store.setRecords(server.rows(${number}));`);
  if (kind === 'update')
    lines.push(...records.map(({ sent }, at) => `records[${at}]?.set(${code(sent ?? {})} as never);`));
  if (kind === 'destroy') lines.push('store.remove(...records);');
  return [...lines, 'await store.sync();', 'expect(store.status.get().pending).toBe(0);'];
}

/** The values of a new record. Fields without a value get their defaults. */
function newValues({ sent = {} }: RecordedRecord): object {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
}

function rejects(call: string, { error }: RecordedOperation): string {
  return `await expect(${call}).rejects.toMatchObject({ code: ${code(error?.code ?? 'unknown')} });`;
}

/** Expects the values of a record, but for secrets, which the recording does not have. */
function matches(values: RecordedRecord['after']): string {
  const known = Object.entries(values ?? {}).filter(([, value]) => !JSON.stringify(value).includes(MASK));
  return `expect(record.toJSON()).toMatchObject(${code(Object.fromEntries(known))});`;
}

/** A value as code in one line; members without a value are left out. */
function code(value: unknown): string {
  return value === undefined ? 'undefined' : literal(value, undefined);
}

/** A value as code. `indent`: the spaces before its lines; undefined: all in one line. */
function literal(value: unknown, indent: string | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = indent === undefined ? undefined : `${indent}  `;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, each]) => each !== undefined);
  const items = entries.map(([name, each]) => {
    const item = literal(each, inner);
    return isList ? item : `${nameOf(name)}:${indent === undefined ? '' : ' '}${item}`;
  });
  const [open, close] = isList ? '[]' : '{}';
  if (items.length === 0 || inner === undefined) return `${open}${items.join(',')}${close}`;
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** The name of a member as code. In code, unlike in JSON, a plain `__proto__` would set the prototype of the object. */
function nameOf(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

/** The parts of a recording that its replay needs. */
function compact(recording: Recording): object {
  const operations = recording.operations.map(({ parts, query, outbox, ...needed }) => ({ ...needed, parts: [] }));
  return { ...recording, operations };
}

function notRepeated(steps: readonly { readonly operation: RecordedOperation; readonly code: Step }[]): string[] {
  return steps
    .filter(({ operation, code: { isRun } }) => !isRun && operation.kind !== 'count')
    .flatMap(({ operation }) => operation.attempts.filter(({ duration }) => duration !== undefined))
    .map(({ method, url }) => `${method} ${url}`);
}

/** An operation in a few words: `read of users, 20 rows`. */
export function describeOperation({ kind, model, query, rows, records, state, error }: RecordedOperation): string {
  const one = query?.id ?? (kind !== 'read' && records.length === 1 ? records[0]?.id : undefined);
  const subject = `${model ?? 'no model'}${one === undefined || one === null ? '' : ` ${shown(one)}`}`;
  const verbs = {
    read: 'read of',
    create: 'create of',
    update: 'update of',
    destroy: 'erase of',
    call: 'call of',
    count: 'count of',
  };
  const several = kind !== 'read' && records.length > 1 ? `${records.length} records of ` : '';
  const end =
    state === 'done'
      ? rows !== undefined && kind === 'read' && query?.id === undefined
        ? `, ${rows} ${rows === 1 ? 'row' : 'rows'}`
        : ''
      : `, ${state}${error ? ` (${error.code})` : ''}`;
  return `${verbs[kind]} ${several}${subject}${end}`;
}

function shown(id: Plain): string {
  return typeof id === 'object' ? JSON.stringify(id) : String(id);
}

function titleOf({ operations }: Recording): string {
  const all = operations.map(describeOperation);
  return all.length > 3 ? `${all.slice(0, 3).join('; ')}; and ${all.length - 3} more` : all.join('; ') || 'nothing';
}

/** The name of the class of a model: its words, each with a capital letter. */
function classNameOf(model: string, classes: TestFileOptions['classes'] = {}): string {
  if (Object.hasOwn(classes, model)) return classes[model] as string;
  const words = model.split(/[^A-Za-z0-9_$]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z_$]/.test(name) ? name : `Model${name}`;
}
