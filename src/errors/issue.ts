/** One thing that is wrong with a record's values. */
export interface Issue {
  /** The field, and the members inside its value. Empty: the record as a whole. */
  readonly path: readonly PropertyKey[];
  /** A text for people, without the field's name. */
  readonly message: string;
  /** Which rule was broken, to translate or branch on. */
  readonly code?: string;
  /** What the rule asks for, such as `{ min: 1 }`. */
  readonly params?: Readonly<Record<string, unknown>>;
}
