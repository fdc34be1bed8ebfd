import { parseWait } from './waiting.js';

/** The limits that the headers of a response announce. */
export interface RateReport {
  /** The number of requests that the server still accepts until `reset`. */
  readonly remaining: number | undefined;
  /** Milliseconds until the server starts counting anew. */
  readonly reset: number | undefined;
  /** The limits: each allows `requests` in `per` milliseconds. */
  readonly policies: readonly { readonly requests: number; readonly per: number }[];
}

/** Parameters of an item: `r` requests remaining, `t` seconds until reset, `q` quota, `w` seconds of its window, `qu` its unit. */
type Params = Partial<Record<'r' | 't' | 'q' | 'w' | 'qu', string>>;

/** The beginnings of the older header names, such as `X-RateLimit-Remaining`. */
const PREFIXES = ['RateLimit-', 'X-RateLimit-', 'X-Rate-Limit-'];
/** The most limits that are read from one response; no real server has more. */
const MAX_POLICIES = 8;

/** Reads the headers `RateLimit` and `RateLimit-Policy`, and the older headers that have a name for each number. */
export function readRate(headers: Headers, now: number): RateReport {
  const limits = itemsOf(headers.get('RateLimit'));
  const olderHeader = (name: string) =>
    PREFIXES.map((prefix) => headers.get(prefix + name)).find((each) => each !== null) ?? null;
  const policies = [...itemsOf(headers.get('RateLimit-Policy')), ...itemsOf(headers.get('RateLimit-Limit'))]
    .map(({ value, params }) => ({
      requests: numberOf(params.q ?? value),
      per: numberOf(params.w) * 1000,
      unit: params.qu ?? 'requests',
    }))
    .filter(({ requests, per, unit }) => requests >= 1 && per > 0 && unit === 'requests')
    .slice(0, MAX_POLICIES)
    .map(({ requests, per }) => ({ requests: Math.floor(requests), per }));
  // If the response names several limits, the one with the fewest requests left decides.
  const [nearest] = limits
    .filter(({ params }) => params.r !== undefined)
    .sort((a, b) => numberOf(a.params.r) - numberOf(b.params.r));
  const namedNumbers = Object.fromEntries(limits.map(({ value }) => value.split('=')));
  const remaining = numberOf(nearest?.params.r ?? namedNumbers.remaining ?? olderHeader('Remaining')?.trim());
  const reset = parseWait(nearest ? (nearest.params.t ?? null) : (namedNumbers.reset ?? olderHeader('Reset')), now);
  return { remaining: Number.isNaN(remaining) ? undefined : remaining, reset, policies };
}

/** The items of a list header with their parameters, such as `"default";r=50;t=30, "day";r=9` and `limit=100, remaining=50`. */
function itemsOf(text: string | null): { value: string; params: Params }[] {
  return [...(text ?? '').matchAll(/(?:"[^"]*"|[^",])+/g)].map(([item]) => {
    const [value = '', ...params] = (item.match(/(?:"[^"]*"|[^";])+/g) ?? []).map((part) => part.trim());
    return {
      value: unquote(value),
      params: Object.fromEntries(
        params.map((param) => {
          const at = param.indexOf('=');
          return [param.slice(0, at).trim().toLowerCase(), unquote(param.slice(at + 1))];
        }),
      ),
    };
  });
}

function unquote(text: string): string {
  return text.trim().replace(/^"(.*)"$/, '$1');
}

function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
