import { checkOptions } from '../dev/checks.js';
import { oneOf, type Rules, text } from '../errors/option-rules.js';
import type { Sorter } from '../operation/query.js';
import type { Dialect, StepContext } from './dialect.js';
import { fillForm, type ParamForm, parseForm } from './form.js';
import { refusal, sentSorters } from './sent-query.js';
import { serverName } from './steps.js';

/**
 * How `plain()` writes an order. Write each form as the documentation of the server does: `{name}` is the server's name of the field,
 * `{index}` the number of the sorter, from 0. A form without `=` is a value for the `sortParam` of the proxy.
 */
export interface SortForms {
  /** A sorter in ascending order. @default '{name}' */
  asc?: string;
  /** A sorter in descending order: `'{name}:desc'`, `'{name},DESC'`, `'_sort={name}&_order=desc'`, `'$sort[{name}]=-1'`. @default '-{name}' */
  desc?: string;
  /** Whether the values of several sorters are joined in one parameter, sent under a repeated name, or refused. @default 'join' */
  several?: 'join' | 'repeat' | 'refuse';
  /** The text between joined sorters. @default ',' */
  separator?: string;
}

const RULES: Rules<SortForms> = {
  asc: text,
  desc: text,
  several: /* @__PURE__ */ oneOf('join', 'repeat', 'refuse'),
  separator: text,
};

/** The sorting step of `plain()`, and the names of the parameters that it sends beside `sortParam`. */
export function sortStep(forms: SortForms = {}): {
  readonly sort: Dialect['sort'];
  readonly names: readonly string[];
} {
  checkOptions('plain.sort', forms, RULES);
  const { asc = '{name}', desc = '-{name}', several = 'join', separator = ',' } = forms;
  const parse = (form: string, option: string) => parseForm(form, option, ['name', 'index'], 'name');
  const parts = { ASC: parse(asc, 'plain.sort.asc'), DESC: parse(desc, 'plain.sort.desc') };
  const isUnnamed = Object.values(parts).some((each) => each.some(({ name }) => !name));

  /** Collects sorters; values of forms without a name go under `param`. */
  const collect = (context: StepContext, sorters: readonly Sorter[], param: string | null, option: string) => {
    const values = new Map<string, string[]>();
    for (const [i, { property, direction }] of sorters.entries()) {
      const blanks = { name: serverName(context, property as string), index: String(i) };
      for (const { name, value } of parts[direction] as readonly ParamForm[]) {
        const key = name === undefined ? param : fillForm(name, blanks);
        if (key) values.set(key, [...(values.get(key) ?? []), fillForm(value, blanks) as string]);
      }
    }
    for (const [name, list] of values) {
      const value = several === 'join' ? list.join(separator) : list;
      context.request.collect(name, list.length > 1 ? value : list[0], 'plain', option);
    }
  };

  return {
    names: [...parts.ASC, ...parts.DESC].flatMap(({ name }) => name ?? []),
    sort(context) {
      const { options, request } = context;
      const { grouper } = request.operation;
      const sorters: Sorter[] = [...sentSorters(request.operation)];
      if (grouper && options.groupParam) {
        if (!isUnnamed)
          throw refusal(context, 'a group', "set `groupParam: ''`, so that the group is the first sorter");
        collect(context, [grouper], options.groupParam, 'groupParam');
      }
      // A server that cannot group sorts by the group first, so that the rows of a group arrive together.
      else if (grouper) sorters.unshift(grouper);
      if (sorters.length && isUnnamed && !options.sortParam)
        throw refusal(context, 'a sort order', 'set `sortParam` on the proxy');
      // The first sorter by a field decides.
      const first = sorters.filter(({ property }, i) => sorters.findIndex((each) => each.property === property) === i);
      collect(context, first, options.sortParam, 'sortParam');
    },
  };
}
