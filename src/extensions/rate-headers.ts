import { waitOf } from './waiting.js';

/** What an answer tells about limits. */
export interface RateReport {
  /** Requests that are left … */
  readonly remaining: number | undefined;
  /** … for so many milliseconds. */
  readonly reset: number | undefined;
  /** Limits with their spans in milliseconds. */
  readonly policies: readonly { readonly requests: number; readonly per: number }[];
}

/** Parameters of an item: remaining, seconds; quota, its span in seconds, its unit. */
type Params = Partial<Record<'r' | 't' | 'q' | 'w' | 'qu', string>>;

/** Spellings of the older fields. */
const PREFIXES = ['RateLimit-', 'X-RateLimit-', 'X-Rate-Limit-'];
/** More limits than any server has. */
const MOST = 8;

/** Reads `RateLimit` and `RateLimit-Policy`, and the older fields with a name for each number. */
export function readRate(headers: Headers, now: number): RateReport {
  const current = itemsOf(headers.get('RateLimit'));
  const older = (name: string) =>
    PREFIXES.map((prefix) => headers.get(prefix + name)).find((each) => each !== null) ?? null;
  const policies = [...itemsOf(headers.get('RateLimit-Policy')), ...itemsOf(headers.get('RateLimit-Limit'))]
    .map(({ value, params }) => ({
      requests: numberOf(params.q ?? value),
      per: numberOf(params.w) * 1000,
      unit: params.qu ?? 'requests',
    }))
    .filter(({ requests, per, unit }) => requests >= 1 && per > 0 && unit === 'requests')
    .slice(0, MOST)
    .map(({ requests, per }) => ({ requests: Math.floor(requests), per }));
  // Of several limits, the one that is nearest to its end.
  const [nearest] = current
    .filter(({ params }) => params.r !== undefined)
    .sort((a, b) => numberOf(a.params.r) - numberOf(b.params.r));
  const named = Object.fromEntries(current.map(({ value }) => value.split('=')));
  const remaining = numberOf(nearest?.params.r ?? named.remaining ?? older('Remaining')?.trim());
  const reset = waitOf(nearest ? (nearest.params.t ?? null) : (named.reset ?? older('Reset')), now);
  return { remaining: Number.isNaN(remaining) ? undefined : remaining, reset, policies };
}

/** The items of a list field with their parameters: `"default";r=50;t=30, "day";r=9` and `limit=100, remaining=50`. */
function itemsOf(text: string | null): { value: string; params: Params }[] {
  return [...(text ?? '').matchAll(/(?:"[^"]*"|[^",])+/g)].map(([item]) => {
    const [value = '', ...params] = (item.match(/(?:"[^"]*"|[^";])+/g) ?? []).map((part) => part.trim());
    return {
      value: bare(value),
      params: Object.fromEntries(
        params.map((param) => {
          const at = param.indexOf('=');
          return [param.slice(0, at).trim().toLowerCase(), bare(param.slice(at + 1))];
        }),
      ),
    };
  });
}

function bare(text: string): string {
  return text.trim().replace(/^"(.*)"$/, '$1');
}

function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
