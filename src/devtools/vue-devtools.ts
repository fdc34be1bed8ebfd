import { outcomeOf, queryWords } from './panel/words.js';
import { asRecorder, type Recorder, type RecorderOptions } from './recorder.js';
import type { RecordedOperation } from './recording.js';
import { SecretMask } from './secrets/secret-mask.js';
import type { InspectTarget } from './targets.js';
import { describeOperation } from './test-file.js';

/** The parts of the interface of Vue Devtools that the plugin uses. */
interface VueDevtoolsApi {
  readonly on: {
    getInspectorTree(handler: (payload: TreePayload) => void): void;
    getInspectorState(handler: (payload: StatePayload) => void): void;
  };
  addInspector(options: { readonly id: string; readonly label: string; readonly icon: string }): void;
  sendInspectorTree(id: string): void;
  sendInspectorState(id: string): void;
  addTimelineLayer(options: { readonly id: string; readonly label: string; readonly color: number }): void;
  addTimelineEvent(options: { readonly layerId: string; readonly event: object }): void;
}

interface TreePayload {
  readonly inspectorId: string;
  readonly filter?: string;
  rootNodes: object[];
}

interface StatePayload {
  readonly inspectorId: string;
  readonly nodeId: string;
  state: object;
}

/** The function `setupDevtoolsPlugin` of `@vue/devtools-api` 8. */
export type SetupVueDevtools = (descriptor: never, setup: (api: never) => void) => void;

/** A plugin of a Vue application. */
export interface VueDevtoolsPlugin {
  /** The recorder that it shows. */
  readonly recorder: Recorder;
  install(app: unknown): void;
}

const ID = 'repose';
const GREEN = 0x1a7f45;

/**
 * The inspector as a plugin of Vue Devtools: a tree of operations, stores and outboxes, and a layer of the time line. It takes the function
 * `setupDevtoolsPlugin` of `@vue/devtools-api`, so that this package does not depend on it. Secrets are masked. Throws `DefinitionError` for
 * wrong options and targets.
 *
 * @example
 * ```ts
 * import { type SetupVueDevtools, vueDevtoolsPlugin } from 'repose/devtools';
 *
 * declare const setupDevtoolsPlugin: SetupVueDevtools; // of '@vue/devtools-api'
 * const plugin = vueDevtoolsPlugin(setupDevtoolsPlugin, session); // app.use(plugin)
 * ```
 */
export function vueDevtoolsPlugin(
  setup: SetupVueDevtools,
  targets: InspectTarget | readonly InspectTarget[] | Recorder,
  options: RecorderOptions = {},
): VueDevtoolsPlugin {
  const { recorder } = asRecorder(targets, options);
  return {
    recorder,
    install(app) {
      const descriptor = { id: ID, label: 'Repose', packageName: 'repose', app };
      const { onUnmount } = app as { onUnmount?(callback: () => void): void };
      setup(descriptor as never, (api) => {
        const end = show(api as VueDevtoolsApi, recorder);
        // Vue 3.5 tells the end of an application.
        if (typeof onUnmount === 'function') onUnmount.call(app, end);
      });
    },
  };
}

/** Shows the recorder by the interface of Vue Devtools. Returns the function that ends this. */
function show(api: VueDevtoolsApi, recorder: Recorder): () => void {
  // A recorder learns names of secret fields while it records.
  const mask = () => new SecretMask(recorder.secrets);
  api.addInspector({ id: ID, label: 'Repose', icon: 'storage' });
  api.addTimelineLayer({ id: ID, label: 'Repose', color: GREEN });
  api.on.getInspectorTree((payload) => {
    if (payload.inspectorId === ID) payload.rootNodes = treeOf(recorder, payload.filter ?? '', mask());
  });
  api.on.getInspectorState((payload) => {
    if (payload.inspectorId === ID) payload.state = asText(stateOf(recorder, payload.nodeId, mask())) as object;
  });
  /** The number of the last operation whose start, and of those whose end the time line has. */
  let started = 0;
  const ended = new Set<number>();
  const changed = () => {
    for (const operation of recorder.operations) {
      if (operation.number > started) {
        started = operation.number;
        api.addTimelineEvent({ layerId: ID, event: eventOf(operation, 'start', mask()) });
      }
      if (operation.duration === undefined || ended.has(operation.number)) continue;
      ended.add(operation.number);
      api.addTimelineEvent({ layerId: ID, event: eventOf(operation, 'end', mask()) });
    }
    const known = new Set(recorder.operations.map(({ number }) => number));
    for (const number of ended) if (!known.has(number)) ended.delete(number);
    api.sendInspectorTree(ID);
    api.sendInspectorState(ID);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unsubscribe = recorder.subscribe(() => {
    // At most ten times a second, however much happens: the application comes first.
    timer ??= setTimeout(() => {
      timer = undefined;
      safely(changed);
    }, 100);
  });
  safely(changed);
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** A mistake of the tool must not become an error of the application. */
function safely(act: () => void): void {
  try {
    act();
  } catch {
    // The next change is shown again.
  }
}

/** Data of a server as the tool may show it. The tool takes objects with the member `_custom` for instructions of its own, with markup in them. */
function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name === '_custom' ? '"_custom"' : name, asText(each)]);
  return Object.fromEntries(members) as object;
}

function eventOf(recorded: RecordedOperation, at: 'start' | 'end', mask: SecretMask): object {
  // Neither bodies nor records are shown, and masking them takes time.
  const attempts = recorded.attempts.map(({ body, responseBody, ...attempt }) => attempt);
  const operation = mask.operation({ ...recorded, attempts, parts: [] });
  const { number, startedAt, duration = 0, state, error } = operation;
  const isFailed = state === 'failed' || state === 'refused';
  const { method, url, status } = operation.attempts.at(-1) ?? {};
  return {
    time: at === 'start' ? startedAt : startedAt + duration,
    groupId: number,
    title: describeOperation(operation),
    subtitle: at === 'start' ? 'start' : outcomeOf(operation),
    logType: isFailed ? 'error' : state === 'aborted' ? 'warning' : 'default',
    data: { method, url, status, ...(at === 'end' && { duration }), ...(error && { error: error.message }) },
  };
}

function treeOf(recorder: Recorder, filter: string, mask: SecretMask): object[] {
  const nodes = (all: readonly { readonly id: string; readonly label: string }[]) =>
    all.filter(({ label }) => label.toLowerCase().includes(filter.toLowerCase()));
  const operations = recorder.operations.map((each) => ({
    id: `operation-${each.number}`,
    label: mask.text(describeOperation(each)),
  }));
  const stores = recorder.stores.map(({ number, model, stale }) => {
    return { id: `store-${number}`, label: `${model}, store ${number}${stale === undefined ? '' : ' (stale)'}` };
  });
  const outboxes = recorder.outboxes.map(({ scope, waiting }) => ({
    id: `outbox-${scope}`,
    label: `${scope}: ${waiting} waiting`,
  }));
  return [
    { id: 'operations', label: 'Operations', children: nodes(operations.reverse()) },
    { id: 'stores', label: 'Stores', children: nodes(stores) },
    { id: 'outboxes', label: 'Outbox', children: nodes(outboxes) },
  ];
}

/** The state of a node: names and values, by sections. */
function stateOf(recorder: Recorder, nodeId: string, mask: SecretMask): object {
  const [kind = '', ...rest] = nodeId.split('-');
  const name = rest.join('-');
  const fields = (values: object) =>
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
  const operation =
    kind === 'operation' ? recorder.operations.find(({ number }) => String(number) === name) : undefined;
  if (operation) {
    const { parts, attempts, records, error, query, rows, total, startedAt, duration } = recorder.masked(operation);
    return {
      operation: fields({ query, rows, total, startedAt, duration, error: error?.message }),
      request: parts.map(({ text, reason }) => ({ key: text, value: reason })),
      attempts: attempts.map((attempt, at) => ({ key: `${at + 1}`, value: attempt })),
      records: records.map((record) => ({ key: JSON.stringify(record.id), value: record })),
    };
  }
  const store = kind === 'store' ? recorder.stores.find(({ number }) => String(number) === name) : undefined;
  if (store) {
    const masked = mask.store(store);
    return { store: fields({ ...masked, query: queryWords(masked.query) }) };
  }
  const outbox = kind === 'outbox' ? recorder.outboxes.find(({ scope }) => scope === name) : undefined;
  if (!outbox) return {};
  const { entries, ...counts } = mask.outbox(outbox);
  return {
    outbox: fields(counts),
    writes: entries.map((entry) => ({ key: `${entry.action} ${entry.model}`, value: entry })),
  };
}
