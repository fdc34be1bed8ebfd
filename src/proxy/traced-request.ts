import type { Operation } from '../operation/operation.js';
import { ProxyRequest, type TracePart } from './proxy-request.js';

/** A request that writes down what made each part of its address. */
export class TracedRequest extends ProxyRequest {
  /** Their texts joined are the address as it stands. */
  readonly parts: TracePart[] = [];
  private readonly origins: Map<string, readonly [rule: string, option: string]> = new Map();

  /** `optionOf` tells which option a base comes from. */
  constructor(
    operation: Operation,
    private readonly optionOf: (base: string) => string,
  ) {
    super({ operation });
  }

  override collect(name: string | null | undefined, value: unknown, rule: string, option: string): void {
    if (name && value !== undefined && this.knownParams?.[name] === undefined) this.origins.set(name, [rule, option]);
    super.collect(name, value, rule, option);
  }

  override note(url: string, rule: string, option: string): string {
    const before = this.parts.map((part) => part.text).join('');
    // An override may have changed any part, so its address stands as a whole.
    const text = rule !== 'override' ? url.slice(before.length) : url === before ? '' : url;
    if (text) this.parts.push({ text, rule, option });
    return url;
  }

  override noteBase(url: string, text: string, template: boolean): void {
    this.note(url, template ? 'H10' : '§4', this.optionOf(text));
  }

  override noteParam(url: string, name: string): void {
    this.note(url, ...(this.origins.get(name) ?? (['§4 rule 6', 'params'] as const)));
  }
}
