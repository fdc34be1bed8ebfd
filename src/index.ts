/**
 * Typed records over REST: models, stores and proxies for any HTTP API.
 *
 * @module
 */
export * from './exports.js';
export { Model } from './model/model.js';
export {
  type FieldListOptions,
  type ListOptions,
  type ListRecord,
  type ListValues,
  listOf,
  type RowListOptions,
  type RowValues,
  type TupleListOptions,
  type TupleValues,
} from './store/list-of.js';
export type {
  IndexRange,
  LoadState,
  WindowChange,
  WindowConfig,
  WindowEvents,
  WindowSnapshot,
} from './store/window-config.js';
