/**
 * Groups and summaries of stores and views. They are updated when the records change.
 *
 * @module
 */
export { groups } from './groups/create-groups.js';
export type {
  Group,
  Groups,
  GroupsChange,
  GroupsFor,
  GroupsOptions,
  GroupsPlugin,
  Summaries,
  Summary,
  SummaryKind,
} from './store/groups-config.js';
