/**
 * Trees: the records of a model that refers to itself, as a flat list of visible rows.
 *
 * @module
 */
export type {
  CheckedState,
  TreeConfig,
  TreeExpandOptions,
  TreeFilterOptions,
  TreeFilters,
  TreeIssue,
  TreeLoadOptions,
  TreeNode,
  TreeNodeState,
} from './tree/tree-config.js';
export { TreeStore } from './tree/tree-store.js';
