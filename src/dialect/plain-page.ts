import { wrongValue } from '../errors/option-rules.js';
import type { Operation } from '../operation/operation.js';
import type { Dialect, StepContext } from './dialect.js';
import { fillForm, hasBlank, type ParamForm, parseForm } from './form.js';
import { refusal } from './sent-query.js';

/** A parameter of a page, with the option of the proxy that names it. */
interface PageParam extends ParamForm {
  readonly option: string;
}

const BLANKS = ['page', 'pageIndex', 'start', 'end', 'last', 'limit'];

/**
 * The paging step of `plain()`: by its form or, without one, by the options `pageParam`, `startParam` and `limitParam` of the proxy. It
 * refuses pages that are longer than `most`.
 */
export function pageStep(form: string | undefined, most: number = Number.POSITIVE_INFINITY): Dialect['page'] {
  const parts = form === undefined ? undefined : parsePage(form);
  return (context) => {
    const { request, options } = context;
    const params = parts ?? [
      { name: options.pageParam || undefined, value: '{page}', option: 'pageParam' },
      { name: options.startParam || undefined, value: '{start}', option: 'startParam' },
      { name: options.limitParam || undefined, value: '{limit}', option: 'limitParam' },
    ];
    const given = withPage(request.operation, params);
    const { limit = 0 } = given;
    if (limit > most)
      throw refusal(
        context,
        `a page of ${limit} rows`,
        `ask for at most ${most} (\`pageSize\` of the store), or set \`maxPageSize\` of the dialect if the server sends more`,
      );
    checkPage(context, given, params);
    const blanks = blanksOf(given);
    for (const { name, value, option } of params) {
      const text = fillForm(value, blanks);
      // In the body of an `api.list`, a number is a number.
      const isNumber = text !== undefined && /^\{\w+\}$/.test(value);
      request.collect(name, isNumber ? Number(text) : text, 'plain', option);
    }
  };
}

/** The names of the parameters of a form of `page`. */
export function pageNames(form: string | undefined): readonly (string | undefined)[] {
  return form === undefined ? [] : parsePage(form).map(({ name }) => name);
}

function parsePage(form: string): readonly PageParam[] {
  const parts = parseForm(form, 'plain.page', BLANKS);
  if (parts.some(({ name }) => !name))
    throw wrongValue('`plain.page`', "parameters such as 'page={page}&size={limit}'", form);
  return parts.map((each) => ({ ...each, option: 'page' }));
}

type Window = Pick<Operation, 'page' | 'start' | 'limit'>;

function says(params: readonly ParamForm[], ...blanks: readonly string[]): boolean {
  return params.some(({ name, value }) => name && blanks.some((blank) => hasBlank(value, blank)));
}

/** Adds the number of the page to a start on the edge of a page, for servers that know pages only. */
function withPage({ page, start, limit }: Window, params: readonly ParamForm[]): Window {
  const isEdge = page === undefined && start !== undefined && limit && start % limit === 0;
  return { page: isEdge && says(params, 'page', 'pageIndex') ? start / limit + 1 : page, start, limit };
}

/** Index of the first row of the page. */
function edgeOf({ page = 1, limit = 0 }: Window): number {
  return (page - 1) * limit;
}

/** Throws `UnsupportedQueryError` for a page that the parameters cannot express. */
function checkPage(context: StepContext, given: Window, params: readonly PageParam[]): void {
  const { page = 1, start, limit } = given;
  const edge = edgeOf(given);
  const hasPage = says(params, 'page', 'pageIndex');
  const isByForm = params.some(({ option }) => option === 'page');
  const remedy = (param: string) =>
    isByForm ? 'give `plain()` a form of `page` that can' : `set \`${param}\` on the proxy`;
  // Later pages are asked for by number: behind a short page, `start` would be another row.
  if (!says(params, 'start', 'end', 'last') && ((start && !edge) || (edge && !hasPage)))
    throw refusal(context, `start=${start ?? edge}`, remedy('startParam'));
  // Without a limit, a page number cannot be turned into a start.
  if (!hasPage && !limit && start === undefined && page > 1)
    throw refusal(context, `page=${page}`, remedy('pageParam'));
}

function blanksOf(given: Window): Record<string, string | undefined> {
  const { page, start, limit } = given;
  const first = start ?? (page && limit ? edgeOf(given) : undefined);
  const end = limit && first !== undefined ? first + limit : undefined;
  const blanks = { page: page || undefined, pageIndex: page && page - 1, start: first, end, limit: limit || undefined };
  const all = { ...blanks, last: end && end - 1 };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value?.toString()]));
}
