import { isData } from '../util/data-path.js';
import { DEFINITION } from './symbols.js';

/** What embedding needs of a model class. */
export interface EmbeddedModel {
  fromRow(row: object): EmbeddedRecord;
  readonly [DEFINITION]: { writeRow(record: never): object };
}

/** What embedding needs of a record. */
export interface EmbeddedRecord {
  readonly dirty: boolean;
  reject(): void;
}

/** How values of embedded models are read and written. */
export interface Embedding {
  /** Whether the field holds a list. */
  readonly list: boolean;
  /** Records from what was received; what is no row is handed out as it came. */
  read(raw: unknown): unknown;
  /** Rows from records. */
  write(value: unknown): unknown;
  /** Drops the edits inside. */
  reject(value: unknown): void;
  /** Whether anything inside is edited. */
  dirty(value: unknown): boolean;
  /** The records of a value. */
  records(value: unknown): readonly EmbeddedRecord[];
}

/** The embedding that a declared type asks for; undefined for any other type. */
export function embeddingOf(type: unknown): Embedding | undefined {
  const list = Array.isArray(type);
  const model = embeddedModel(list ? (type as unknown[])[0] : type);
  if (!model) return undefined;
  const isRecord = (value: unknown): value is EmbeddedRecord =>
    typeof value === 'object' && value !== null && value instanceof (model as unknown as new () => EmbeddedRecord);
  const read = (raw: unknown) => (isData(raw) && !isRecord(raw) ? model.fromRow(raw) : raw);
  const write = (value: unknown) => (isRecord(value) ? model[DEFINITION].writeRow(value as never) : value);
  const records = (value: unknown) => (Array.isArray(value) ? value : [value]).filter(isRecord);
  return {
    list,
    records,
    read: (raw) => (list && Array.isArray(raw) ? Object.freeze(raw.map(read)) : list ? raw : read(raw)),
    write: (value) => (list && Array.isArray(value) ? value.map(write) : write(value)),
    reject: (value) => {
      for (const each of records(value)) each.reject();
    },
    dirty: (value) => records(value).some((each) => each.dirty),
  };
}

function embeddedModel(type: unknown): EmbeddedModel | undefined {
  return typeof type === 'function' && DEFINITION in type ? (type as unknown as EmbeddedModel) : undefined;
}
