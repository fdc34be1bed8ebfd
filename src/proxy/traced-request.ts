import type { Operation } from '../operation/operation.js';
import { ProxyRequest, type TracePart } from './proxy-request.js';

/** The rules of options that are more than parameters. */
const RULES: Readonly<Record<string, string>> = {
  appendId: '§4 rule 3',
  buildUrl: 'override',
  filterParam: 'H8',
  format: '§4 rule 5',
  idParam: 'H4',
  link: 'H17',
  path: 'H3',
  simpleGroupMode: 'H12',
  simpleSortMode: 'H12',
  trailingSlash: 'H11',
  url: 'H1',
};

/** A request that writes down what made each part of its address. */
export class TracedRequest extends ProxyRequest {
  /** Their texts joined are the address as it stands. */
  readonly parts: TracePart[] = [];
  /** The option that the base came from, and its query with it. */
  private origin = '';
  private readonly origins: Map<string, readonly [rule: string, option: string]> = new Map();

  /** `optionOf` tells which option a base comes from. */
  constructor(
    operation: Operation,
    private readonly optionOf: (base: string) => string,
  ) {
    super({ operation });
  }

  override collect(name: string | null | undefined, value: unknown, rule: string | undefined, option: string): void {
    if (name && value !== undefined && this.knownParams?.[name] === undefined)
      this.origins.set(name, [rule ?? ruleOf(option), option]);
    super.collect(name, value, rule, option);
  }

  override note(url: string, option: string): string {
    return this.add(url, ruleOf(option), option);
  }

  override noteBase(url: string, text: string, template: boolean): void {
    this.origin = this.optionOf(text);
    this.add(url, template ? 'H10' : '§4', this.origin);
  }

  override noteParam(url: string, name: string): void {
    this.add(url, ...(this.origins.get(name) ?? ([ruleOf('params'), 'params'] as const)));
  }

  private add(url: string, rule: string, option: string): string {
    const before = this.parts.map((part) => part.text).join('');
    // An override may have changed any part, so its address stands as a whole.
    const text = rule !== 'override' ? url.slice(before.length) : url === before ? '' : url;
    if (text) this.parts.push({ text, rule, option: rule === 'H1' ? this.origin : option });
    return url;
  }
}

/** The rule by which an option makes a part of the address. */
function ruleOf(option: string): string {
  return RULES[option] ?? '§4 rule 6';
}
