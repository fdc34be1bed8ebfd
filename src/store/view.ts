import type { BaseModel } from '../model/base-model.js';
import { type LocalQuery, withoutEdits } from './query-state.js';

/** What is shown of some records: filtered and sorted when it is asked for, and not again until it must be. */
export class View<M extends BaseModel> {
  private shown: readonly M[] | undefined = undefined;
  /** Of what is shown, and of all records in source order; made when a single record is looked at. */
  private places: ReadonlyMap<M, number> | undefined = undefined;
  private ranks: ReadonlyMap<M, number> | undefined = undefined;

  constructor(
    private readonly present: () => readonly M[],
    private readonly query: () => LocalQuery<M>,
    private readonly holdEdited: boolean,
  ) {}

  list(): readonly M[] {
    if (this.shown) return this.shown;
    const { keep, order } = this.query();
    const seen = this.seen();
    const present = this.present();
    const found = keep ? present.filter((record) => keep(seen(record))) : [...present];
    if (order) found.sort((a, b) => order(seen(a), seen(b)));
    this.shown = Object.freeze(found);
    return this.shown;
  }

  /** Everything may be different. */
  reset(): void {
    this.shown = this.places = this.ranks = undefined;
  }

  /** The values of one record are different: where it still has its place, all have. */
  look(record: M): void {
    const { shown } = this;
    const { keep, order } = this.query();
    if (!shown || (!keep && !order)) return;
    const seen = this.seen();
    this.places ??= placesOf(shown);
    const at = this.places.get(record);
    const fits = !keep || keep(seen(record));
    if (at === undefined ? fits : !fits) return this.reset();
    if (at === undefined || !order) return;
    const ranks = (this.ranks ??= placesOf(this.present()));
    const after = (a: M | undefined, b: M | undefined) =>
      a && b && (order(seen(a), seen(b)) || (ranks.get(a) as number) - (ranks.get(b) as number)) > 0;
    if (after(shown[at - 1], record) || after(record, shown[at + 1])) this.reset();
  }

  private seen(): (record: M) => M {
    return this.holdEdited ? withoutEdits<M>() : (record) => record;
  }
}

function placesOf<M>(records: readonly M[]): ReadonlyMap<M, number> {
  return new Map(records.map((record, at) => [record, at]));
}
