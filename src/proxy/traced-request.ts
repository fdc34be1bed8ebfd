import type { Extension } from '../extension/extension.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from './data-proxy.js';
import { ProxyRequest, type TracePart } from './proxy-request.js';

/** The rules of options that do more than add a parameter. */
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

/** A request that records which rule and option made each part of its address. */
export class TracedRequest extends ProxyRequest {
  /** The parts so far; their joined texts are the address so far. */
  readonly parts: TracePart[] = [];
  /** The length of the joined texts of the parts. */
  private length = 0;
  /** The option that the base and its query came from. */
  private origin = '';
  private readonly origins: Map<string, readonly [rule: string, option: string]> = new Map();
  /** The extensions that added headers, by the names of the headers in lower case. */
  private readonly headerOrigins: Map<string, string> = new Map();

  /** `optionOf` returns the name of the option that a base comes from. */
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

  /** Finds the headers and parameters that an extension added, by comparing them before and after. */
  override prepareBy(extension: Extension, proxy: DataProxy): void {
    const before = { params: { ...this.knownParams }, headers: { ...this.headers } };
    super.prepareBy(extension, proxy);
    const { name: option } = extension;
    for (const name of namesOfChanged(before.params, this.knownParams))
      this.origins.set(name, [ruleOf('params'), option]);
    for (const name of namesOfChanged(before.headers, this.headers)) this.headerOrigins.set(name.toLowerCase(), option);
  }

  /** The extension that added a header; undefined if no extension did. */
  originOfHeader(name: string): string | undefined {
    return this.headerOrigins.get(name.toLowerCase());
  }

  override note(url: string, option: string): string {
    return this.add(url, ruleOf(option), option);
  }

  override noteBase(url: string, text: string, template: boolean): void {
    this.origin = this.optionOf(text);
    this.add(url, template ? 'H10' : '§4', this.origin);
  }

  override noteParam(part: string, name: string): void {
    const [rule, option] = this.origins.get(name) ?? [ruleOf('params'), 'params'];
    this.push(part, rule, option);
  }

  private add(url: string, rule: string, option: string): string {
    // An override may have changed any part, so its address is shown as one part.
    const isNew = rule !== 'override' || url !== this.parts.map((part) => part.text).join('');
    const text = rule === 'override' ? url : url.slice(this.length);
    if (text && isNew) this.push(text, rule, rule === 'H1' ? this.origin : option);
    return url;
  }

  private push(text: string, rule: string, option: string): void {
    this.parts.push({ text, rule, option });
    this.length += text.length;
  }
}

/** The names of added or changed values. */
function namesOfChanged(before: Readonly<Record<string, unknown>>, now: object = {}): string[] {
  return Object.entries(now).flatMap(([name, value]) =>
    Object.hasOwn(before, name) && before[name] === value ? [] : [name],
  );
}

/** The rule behind an option. */
function ruleOf(option: string): string {
  return RULES[option] ?? '§4 rule 6';
}
