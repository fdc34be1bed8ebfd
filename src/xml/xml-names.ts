/** Names of elements that the conversion between XML and values depends on. */
export interface XmlNames {
  /** The element of a list of records. */
  readonly list: string;
  /** The element of one record. */
  readonly record: string;
}

/** The member that holds the text of an element that has attributes or other elements too. */
export const TEXT_MEMBER = '#text';

/** The name of the items of a list: the singular of its own name, as `issue` of `issues`; undefined if it has none. */
export function itemNameOf(name: string, { list, record }: XmlNames): string | undefined {
  if (name === list) return record;
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`;
  if (/(ss|us|x|ch|sh)es$/.test(name)) return name.slice(0, -2);
  return /[^su]s$/.test(name) ? name.slice(0, -1) : undefined;
}
