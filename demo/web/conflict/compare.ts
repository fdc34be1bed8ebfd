import { type AnyModel, type ConflictError, type FieldInfo, fieldsOf, type Model } from 'repose';

/** A side of a conflict. */
export type Side = 'mine' | 'theirs';

/** A field that one side or both have changed, as texts. */
export interface ComparedField {
  readonly name: string;
  readonly label: string;
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** Whether both sides have changed the field to different values, so that somebody has to choose. */
  readonly bothChanged: boolean;
  /** The side that has changed the field, if only one has. */
  readonly changedBy: Side | undefined;
}

/** The name of the record that a field refers to. */
export type NameOf = (model: AnyModel, id: unknown) => unknown;
type Description = Pick<FieldInfo, 'label' | 'persisted' | 'model'>;

// #region compare
/** The fields in which the two sides of a conflict differ from what both began with. Reads the row of the server, if that is not known. */
export async function compare(
  record: Model,
  conflict: ConflictError,
  nameOf: NameOf,
): Promise<readonly ComparedField[]> {
  if (conflict.gone) return [];
  const fields = await conflict.inspect();
  return fields.flatMap(({ field, base, mine, theirs }) => {
    const description = descriptionOf(record, field);
    const shown = (value: unknown) => textOf(description.model ? nameOf(description.model, value) : value);
    const [before, my, their] = [shown(base), shown(mine), shown(theirs)];
    const [isMine, areTheirs] = [my !== before, their !== before];
    if (!description.persisted || (!isMine && !areTheirs)) return [];
    const changedBy = isMine && areTheirs ? undefined : isMine ? 'mine' : 'theirs';
    const bothChanged = changedBy === undefined && my !== their;
    return [{ name: field, label: description.label, base: before, mine: my, theirs: their, bothChanged, changedBy }];
  });
}
// #endregion

function descriptionOf(record: Model, field: string): Description {
  const fields: Readonly<Record<string, Description>> = fieldsOf(record.constructor as AnyModel);
  return fields[field] ?? { label: field, persisted: true, model: undefined };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty';
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
