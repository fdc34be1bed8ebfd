import { checkOptions } from '../dev/checks.js';
import type { Rules } from '../errors/option-rules.js';
import type { GroupsOptions, GroupsPlugin } from '../store/groups-config.js';
import { isData } from '../util/data-path.js';
import { type GroupedView, LiveGroups } from './live-groups.js';

const RULES: Rules<GroupsOptions> = {
  by: { expected: "a list of names, such as `['team']`", holds: Array.isArray },
  summaries: { expected: "an object, such as `{ age: 'average' }`", holds: isData },
};

/**
 * Creates the option `groups` of a store or view: groups and summaries of its records, which follow all changes. Read them from the member
 * `groups` of the store or view. Its constructor throws `UnsupportedQueryError` for unknown names. Throws `DefinitionError` for wrong
 * options.
 *
 * @example
 * ```ts
 * import { groups } from 'repose/groups';
 *
 * const people = new Store({ model: User, groups: groups({ by: ['team'], summaries: { age: 'average' } }) });
 * await people.load();
 * for (const { key, count, summaries } of people.groups) show(key, count, summaries.age);
 * ```
 */
export function groups<const O extends GroupsOptions>(options: O): GroupsPlugin<O> {
  checkOptions('groups', options, RULES);
  return {
    by: options.by,
    attach(view) {
      const grouped = view as GroupedView;
      const live = new LiveGroups(grouped, options.summaries);
      grouped.liveList.observer = live;
      return live;
    },
  };
}
