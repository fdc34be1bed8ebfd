import type { RecordModel, WireField } from '../../operation/operation-record.js';
import { type DataPath, parsePath } from '../../util/data-path.js';
import type { JsonReader } from '../json-reader.js';

/** A place in a document, and the places inside of it where numbers must keep their digits. */
export interface DigitPlace {
  /** Whether a number here must. */
  keeps: boolean;
  /** Members by name, items by number. */
  inside: Map<string, DigitPlace>;
  /** Every other item of an array. */
  items: DigitPlace | undefined;
}

type Fields = readonly WireField[];

/** The places in an array of a model's rows, or in one row. */
export function placesInRows(reader: JsonReader, { fields }: RecordModel): DigitPlace {
  const item = createPlace();
  addFields(placeAt(item, pathOf(reader.record)), fields, new Map());
  return { ...item, items: item };
}

/** The places in a whole answer. */
export function placesInBody(reader: JsonReader, model: RecordModel): DigitPlace {
  const rows = placesInRows(reader, model);
  const path = pathOf(reader.rootProperty);
  const name = path.at(-1);
  if (name === undefined) return rows;
  const body = createPlace();
  placeAt(body, path.slice(0, -1)).inside.set(String(name), rows);
  // A body that is an array is the rows, whatever the path says.
  body.items = rows.items;
  return body;
}

function pathOf(text: string): DataPath {
  return text ? parsePath(text) : [];
}

function createPlace(): DigitPlace {
  return { keeps: false, inside: new Map(), items: undefined };
}

function placeAt(start: DigitPlace, path: DataPath): DigitPlace {
  let place = start;
  for (const each of path) {
    const name = String(each);
    const next = place.inside.get(name) ?? createPlace();
    place.inside.set(name, next);
    place = next;
  }
  return place;
}

/** Notes the fields of a row; `known` has the rows of models, which may hold each other. */
function addFields(row: DigitPlace, fields: Fields, known: Map<Fields, DigitPlace>): void {
  known.set(fields, row);
  for (const { path, embedding } of fields) {
    if (!path || !embedding) continue;
    const inner = known.get(embedding.fields) ?? createPlace();
    if (!known.has(embedding.fields)) addFields(inner, embedding.fields, known);
    Object.assign(placeAt(row, path), { inside: inner.inside, items: inner });
  }
  for (const { path, type } of fields)
    if (path && /^(string|bigint|decimal)$/.test(type)) placeAt(row, path).keeps = true;
}
