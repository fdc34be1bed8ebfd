import { type Data, getMember, isData, setMember } from '../../util/data-path.js';

/** The links of a relationship: one resource, a list of them, or nothing. */
type Linkage = Data | readonly Data[] | null;

/** Members of a resource that are no fields, and that a row has beside its fields. */
const BESIDE = ['links', 'meta', 'relationships', 'type'];

/**
 * Makes a flat row of a resource: attributes, and the ids of linked resources under the names of their relationships. The members `type`,
 * `relationships`, `links` and `meta` stay beside them. A relationship without `data` was not loaded, and is left out.
 */
export function rowOfResource(resource: unknown): unknown {
  if (!isData(resource)) return resource;
  const { attributes, relationships, id, type, ...more } = resource;
  const row: Data = { ...more, ...(isData(attributes) && attributes) };
  for (const [name, each] of Object.entries(isData(relationships) ? relationships : {})) {
    const data = getMember(each, 'data') as Linkage | undefined;
    if (data !== undefined) setMember(row, name, Array.isArray(data) ? data.map(idOf) : idOf(data));
  }
  return { ...row, id, type, ...(isData(relationships) && { relationships }) };
}

function idOf(linkage: unknown): unknown {
  return getMember(linkage, 'id') ?? null;
}

/** The parts of the flat body of a write. */
export interface WrittenRow {
  readonly id: unknown;
  readonly attributes: Data;
  /** The ids of linked resources by the names of their relationships. */
  readonly links: ReadonlyMap<string, unknown>;
}

/** Splits the flat body of a write. `isRelationship` tells the names of relationships. */
export function splitRow(row: Data, isRelationship: (name: string) => boolean): WrittenRow {
  const attributes: Data = {};
  const links = new Map<string, unknown>();
  for (const [name, value] of Object.entries(row)) {
    if (isRelationship(name)) links.set(name, value);
    else if (name !== 'id' && !BESIDE.includes(name)) setMember(attributes, name, value);
  }
  return { id: row['id'], attributes, links };
}

/** The resource linkage of ids; `typeOf` returns the type of the resource with an id. */
export function linkageOf(ids: unknown, isMany: boolean, typeOf: (id: string) => string): Linkage {
  const link = (id: unknown) => ({ type: typeOf(String(id)), id: String(id) });
  if (Array.isArray(ids)) return ids.map(link);
  const isEmpty = ids === null || ids === undefined || ids === '';
  if (isMany) return isEmpty ? [] : [link(ids)];
  return isEmpty ? null : link(ids);
}

/** The types of linked resources that a received row names in a relationship, by their ids. */
export function linkedTypes(row: Data, relationship: string): ReadonlyMap<string, string> {
  const data = getMember(getMember(row['relationships'], relationship), 'data');
  const linked = [data].flat().filter(isData);
  return new Map(linked.map(({ id, type }) => [String(id), String(type)]));
}

/** Whether a received row has a list in a relationship. */
export function isToMany(row: Data, relationship: string): boolean {
  return Array.isArray(getMember(getMember(row['relationships'], relationship), 'data'));
}
