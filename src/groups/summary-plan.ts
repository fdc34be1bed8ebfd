import { describe } from '../errors/message-format.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { type ItemReader, type Order, orderOf } from '../operation/local-query.js';
import type { GroupsOptions, SummaryKind } from '../store/groups-config.js';
import { createProperty } from './property.js';
import type { Tally, TallyColumn } from './tally.js';

type Records = readonly Model[];

/** Computes one summary of a group: from its records if a function was given, otherwise from a tally. */
type Compute = (records: () => Records, tallies: readonly Tally[]) => unknown;

/** The summaries to compute for each group, made from the option `summaries`. */
export class SummaryPlan {
  /** The properties that each group tallies. The tallies of a group are in the same order. */
  readonly columns: readonly TallyColumn[];
  /** The fields on which the summaries depend; undefined if they may depend on any field, as functions and calculated fields do. */
  readonly fields: ReadonlySet<string> | undefined;
  private readonly computations: readonly (readonly [name: string, compute: Compute])[];

  /** Throws `UnsupportedQueryError` for unknown properties and unknown kinds of summaries. */
  constructor(summaries: GroupsOptions['summaries'], model: ModelDefinition, reader: ItemReader<Model>) {
    const columns: TallyColumn[] = [];
    let readsAnything = false;
    this.computations = Object.entries(summaries ?? {}).map(([name, summary]) => {
      if (typeof summary === 'function') {
        readsAnything = true;
        return [name, (records) => summary([...records()])];
      }
      const kinds = typeof summary === 'string' ? [summary] : summary;
      kinds.forEach(checkKind);
      const type = model.field(name)?.type;
      readsAnything ||= model.field(name)?.derived ?? true;
      const columnCount = columns.push({
        ...createProperty(name, model, reader),
        exact: type === 'decimal' || type === 'bigint' ? type : undefined,
        order: orderOf(reader.compare(name) as Order | undefined),
        extremes: kinds.includes('min') || kinds.includes('max'),
      });
      const tallyOf = (tallies: readonly Tally[]) => tallies[columnCount - 1] as Tally;
      if (typeof summary === 'string') return [name, (_, tallies) => tallyOf(tallies).get(summary)];
      return [
        name,
        (_, tallies) => Object.freeze(Object.fromEntries(kinds.map((kind) => [kind, tallyOf(tallies).get(kind)]))),
      ];
    });
    this.columns = columns;
    this.fields = readsAnything ? undefined : new Set(this.computations.map(([name]) => name));
  }

  /** Computes all summaries of one group. `records` is called only if a summary is a function. */
  compute(records: () => Records, tallies: readonly Tally[]): Readonly<Record<string, unknown>> {
    return Object.freeze(
      Object.fromEntries(this.computations.map(([name, compute]) => [name, compute(records, tallies)])),
    );
  }
}

/** Throws `UnsupportedQueryError` for an unknown kind of summary. */
function checkKind(kind: SummaryKind): void {
  const kinds: readonly SummaryKind[] = ['count', 'sum', 'average', 'min', 'max'];
  if (kinds.includes(kind)) return;
  throw new UnsupportedQueryError('query-value', {
    name: 'a summary',
    expected: `one of ${kinds.join(', ')}`,
    value: describe(kind),
  });
}
