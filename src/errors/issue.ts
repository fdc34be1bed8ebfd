/** One problem with the values of a record. */
export interface Issue {
  /** The field, then the members inside its value. Empty for a problem of the whole record. */
  readonly path: readonly PropertyKey[];
  /** A text for people, without the field's name. */
  readonly message: string;
  /** The rule that was broken, for translations and for code that branches. */
  readonly code?: string;
  /** The parameters of the rule, such as `{ min: 1 }`. */
  readonly params?: Readonly<Record<string, unknown>>;
}
