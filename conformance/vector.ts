import {
  type Action,
  type AnyModel,
  type DataProxy,
  isDataError,
  Model,
  Operation,
  ProxyRequest,
  type RestProxy,
  Store,
} from 'repose';
import { revive } from './values.js';

/** A file of vectors. */
export interface VectorFile {
  readonly vectors: readonly Vector[];
}

/** One request, and the expected result. */
export interface Vector {
  readonly name: string;
  readonly proxy: Record<string, unknown>;
  readonly model?: { fields?: readonly (string | { name: string })[]; idProperty?: string };
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly expect: { requests?: number; error?: boolean; method?: string; url?: string };
}

/** The failure of a vector. */
export interface Failure {
  readonly expected: string;
  readonly got: string;
}

interface RecordInput {
  readonly data: Record<string, unknown>;
  readonly phantom?: boolean;
  readonly forceId?: unknown;
  readonly set?: Record<string, unknown>;
}

/** The effects of a call. */
interface Observed {
  requests: number;
  method?: string | undefined;
  url?: string | undefined;
  /** Whether the address has no id. */
  list?: boolean;
  error?: unknown;
}

/** A record as the runner uses it, with any fields. */
type AnyRecord = InstanceType<AnyModel> & { set(values: object): void };
type RecordClass = (new (
  data: object,
  options?: { phantom?: boolean },
) => AnyRecord) &
  AnyModel & { load(id: unknown, options?: unknown): Promise<unknown> };

/** Runs a vector; undefined when it passes. */
export async function runVector(vector: Vector): Promise<Failure | undefined> {
  const seen = await observe(revive(vector) as Vector);
  const { expect } = vector;
  const told = `${seen.requests} request(s)${seen.url === undefined ? '' : `, ${seen.method} ${seen.url}`}${seen.error ? `, ${String(seen.error)}` : ''}`;
  const fail = (expected: string): Failure => ({ expected, got: told });
  // An error of another class is a fault of the runner, the vector or the package, whatever the vector expects.
  if (seen.error && !isDataError(seen.error)) return fail('no such error');
  if (expect.error) {
    return isDataError(seen.error) && seen.requests === 0 ? undefined : fail('an error of ours, and nothing sent');
  }
  if (expect.requests !== undefined && seen.requests !== expect.requests) return fail(`${expect.requests} request(s)`);
  if (expect.requests === undefined && seen.error) return fail('no error');
  if (expect.method !== undefined && seen.method !== expect.method) return fail(`${expect.method} ${expect.url}`);
  if (expect.url !== undefined && !sameUrl(expect.url, seen.url)) return fail(expect.url);
  return undefined;
}

function sameUrl(expected: string, got: string | undefined): boolean {
  const pattern = expected.split('{time}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return got !== undefined && new RegExp(`^${pattern.join('\\d+')}$`).test(got);
}

async function observe(vector: Vector): Promise<Observed> {
  const seen: Observed = { requests: 0 };
  try {
    const Class = modelOf(vector, seen);
    await perform(vector, Class, seen);
  } catch (error) {
    seen.error = error;
  }
  return seen;
}

function modelOf(vector: Vector, seen: Observed): RecordClass {
  const { fields = ['id', 'name', 'email'], idProperty = 'id' } = vector.model ?? {};
  const declared = Object.fromEntries(
    fields.map((field) => (typeof field === 'string' ? [field, 'auto'] : [field.name, withoutName(field)])),
  );
  const proxy = { baseUrl: 'http://conformance.test', ...vector.proxy, fetch: answer(seen) };
  const Class = Model.define({
    fields: declared as never,
    idProperty: idProperty as never,
    proxy: proxy as never,
  }) as unknown as RecordClass;
  // The address is compared as it was built, before `baseUrl` is added, at the one place that every request passes.
  const rest = Class.proxy as RestProxy;
  const build = rest.buildRequest.bind(rest);
  rest.buildRequest = (...args) => {
    const request = build(...args);
    seen.method = request.method;
    seen.url = request.url;
    seen.list = !request.addressed;
    return request;
  };
  return Class;
}

function withoutName({ name: _, ...config }: { name: string }): object {
  return config;
}

/** Answers everything with 200 and `{}`, lists with `[]`. */
function answer(seen: Observed): typeof fetch {
  return async (_url, init) => {
    seen.requests += 1;
    return new Response(init?.method === 'GET' && seen.list ? '[]' : '{}', { status: 200 });
  };
}

function record(Class: RecordClass, input: RecordInput): AnyRecord {
  const { data, phantom, set } = input;
  const made = Object.hasOwn(input, 'forceId')
    ? new Class({ ...data, id: input.forceId }, { phantom: false })
    : phantom === undefined
      ? new Class(data)
      : new Class(data, { phantom });
  if (set) made.set(set);
  return made;
}

async function perform({ action, input }: Vector, Class: RecordClass, seen: Observed): Promise<void> {
  const options = input['options'] as never;
  const one = () => record(Class, input['record'] as RecordInput);
  switch (action) {
    case 'buildUrl': {
      const proxy = Class.proxy as RestProxy;
      const operation = toOperation(Class, input['action'] as Action, input['op'] as Record<string, unknown>);
      seen.url = proxy.buildUrl(new ProxyRequest({ operation, action: operation.action }));
      return;
    }
    case 'create':
    case 'read':
    case 'update':
    case 'destroy': {
      const config = (input['op'] as Record<string, unknown> | undefined) ?? { records: input['records'] };
      const verb = action === 'destroy' ? 'erase' : action;
      await (Class.proxy as DataProxy)[verb](toOperation(Class, action, config));
      return;
    }
    case 'load':
      await Class.load(input['id'], options);
      return;
    case 'recordLoad':
      await one().load(options);
      return;
    case 'save':
      await one().save(options);
      return;
    case 'erase':
      await one().erase(options);
      return;
    case 'storeLoad': {
      const store = new Store({ model: Class, ...(input['store'] as object) } as never);
      await (input['loadPage'] === undefined
        ? store.load(options)
        : store.load({ ...(options as object), page: input['loadPage'] as number }));
      return;
    }
    case 'storeSync': {
      const store = new Store({ model: Class, data: input['data'] } as never) as unknown as Store<AnyRecord>;
      for (const values of (input['add'] as object[] | undefined) ?? []) store.add(values);
      for (const [id, values] of (input['set'] as [string, object][] | undefined) ?? []) store.getById(id)?.set(values);
      for (const id of (input['remove'] as string[] | undefined) ?? []) store.remove(store.getById(id) as AnyRecord);
      await store.sync(options);
      return;
    }
    default:
      throw new Error(`no such action: ${action}`);
  }
}

function toOperation(Class: RecordClass, action: Action, { records, ...config }: Record<string, unknown>): Operation {
  const list = (records as RecordInput[] | undefined)?.map((each) => record(Class, each));
  return new Operation({ action, ...config, ...(list && { records: list as never }) });
}
