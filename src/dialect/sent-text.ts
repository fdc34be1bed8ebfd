import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { conditionsOf } from '../operation/query.js';
import type { StepContext } from './dialect.js';
import { refusal, sentFilters } from './sent-query.js';

/**
 * Throws `UnsupportedQueryError` for filters with texts that form parsers of servers change: they ignore an empty text, and trim the
 * others, so that they would select other rows.
 */
export function refuseTrimmed(context: StepContext, server: string): void {
  for (const filter of sentFilters(context.request.operation))
    for (const { property = '', value } of conditionsOf(filter))
      for (const each of [value].flat()) {
        const sent = each === null || each === undefined ? undefined : valueText(each, property);
        if (sent !== undefined && (sent === '' || sent.trim() !== sent))
          throw refusal(context, `the text '${sent}', which ${server} would trim or ignore`, FILTER_IN_STORE);
      }
}
