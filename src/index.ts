/**
 * Typed records over REST: models, stores and proxies for any HTTP API.
 *
 * @module
 */
export * from './exports.js';
export { Model } from './model/model.js';
export type {
  FieldListOptions,
  ListOptions,
  ListRecord,
  ListValues,
  RowListOptions,
  RowValues,
  TupleListOptions,
  TupleValues,
} from './store/list-of.js';
export { Store } from './store/main-store.js';
export type { RecordWindow } from './store/record-window.js';
export type {
  IndexRange,
  LoadState,
  WindowChange,
  WindowConfig,
  WindowEvents,
  WindowSnapshot,
} from './store/window-config.js';
export { type ApplyOptions, type Fork, Session } from './sync/main-session.js';
