/** An option as its TSDoc describes it. */
export interface OptionRow {
  readonly name: string;
  /** The text of its `@default`; '' without one. */
  readonly default: string;
  /** The first paragraph of its description. */
  readonly meaning: string;
}

/** The text of docs/reference/options.md. */
export function optionsPage(): string;
/** The options that an interface of the source declares itself. */
export function optionsOf(file: string, name: string): OptionRow[];
