/**
 * An inspector for development: records what an application asks of its servers, and why, and what comes of it.
 *
 * @module
 */
export { type CurlOptions, toCurl } from './devtools/curl.js';
export { type Inspector, type InspectorOptions, mountInspector } from './devtools/mount.js';
export {
  type Recorder,
  type RecorderOptions,
  record,
} from './devtools/recorder.js';
export type {
  OperationKind,
  OperationState,
  Plain,
  PlainValues,
  ReasonedPart,
  RecordedAttempt,
  RecordedBody,
  RecordedError,
  RecordedOperation,
  RecordedQuery,
  RecordedRecord,
  Recording,
} from './devtools/recording.js';
export type { OutboxEntryState, OutboxState, StoreState } from './devtools/states.js';
export { type TanstackDevtoolsPlugin, tanstackDevtoolsPlugin } from './devtools/tanstack.js';
export type { InspectedOutbox, InspectTarget } from './devtools/targets.js';
export { type TestFileOptions, toTest } from './devtools/test-file.js';
export { type SetupVueDevtools, type VueDevtoolsPlugin, vueDevtoolsPlugin } from './devtools/vue-devtools.js';
