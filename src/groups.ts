/**
 * Groups and summaries of stores and views, kept up to date.
 *
 * @module
 */
export { groups } from './groups/create.js';
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
} from './groups/groups-config.js';
