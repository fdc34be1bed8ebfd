import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { searchFilter } from '../operation/local-query.js';
import { activeFilters, conditionsOf, localOption } from '../operation/query-parts.js';
import { isSame } from '../util/values.js';
import { type CompiledQuery, compileQuery } from './compile-query.js';
import { derived, type Query } from './query.js';

/** Says who applies the parts of a query, and how a store compares and searches texts. */
export interface RuleOptions {
  /** Whether the server sorts and groups. */
  readonly remoteSort: boolean;
  /** Whether the server filters and searches. */
  readonly remoteFilter: boolean;
  /** Whether the store would sort and group by itself if it held everything (`remoteSort: 'auto'`). */
  readonly autoSort: boolean;
  /** Whether the store would filter and search by itself if it held everything (`remoteFilter: 'auto'`). */
  readonly autoFilter: boolean;
  /** Whether functions may filter what the server has filtered. */
  readonly allowPartial: boolean;
  /** The order of texts for sorters that have no `locale` themselves. */
  readonly locale: Intl.Collator | undefined;
  /** The fields that a local search looks into; undefined for those of type `string`. */
  readonly searchFields: readonly string[] | undefined;
}

/** A query, split into the parts that the server and the store apply. Both have active filters only. */
export interface SplitQuery<M extends Model> {
  readonly sent: Query<M>;
  readonly local: Query<M>;
  /** The local part as functions, once it was compiled. */
  compiled?: CompiledQuery<M>;
}

/** Splits and compiles the queries of a store or view, each of them once. The only place that knows what the server applies. */
export class QueryRules<M extends Model> {
  private readonly splits: WeakMap<Query<M>, SplitQuery<M>> = new WeakMap();

  constructor(
    private readonly definition: ModelDefinition,
    private readonly prototype: object,
    readonly options: RuleOptions,
  ) {}

  /** The same rules with other options. */
  with(options: Partial<RuleOptions>): QueryRules<M> {
    return new QueryRules<M>(this.definition, this.prototype, { ...this.options, ...options });
  }

  /** Throws `UnsupportedQueryError` for a local search without a field to search in. */
  split(query: Query<M>): SplitQuery<M> {
    const known = this.splits.get(query);
    if (known) return known;
    const split = this.splitNow(query);
    this.splits.set(query, split);
    return split;
  }

  private splitNow(query: Query<M>): SplitQuery<M> {
    const { remoteSort, remoteFilter, searchFields } = this.options;
    const { sorters, groupers, search } = query;
    const filters = activeFilters(query.filters);
    // Servers have a parameter for one grouper only; inner groups come from sorting by their groupers first.
    const [grouper, ...inner] = groupers;
    const functions = filters.filter((each) => each.filterFn);
    const searched = search && !remoteFilter ? [searchFilter(search, this.definition, searchFields)] : [];
    return {
      sent: derived(query, {
        sorters: Object.freeze(remoteSort ? [...inner, ...sorters] : []),
        groupers: remoteSort && grouper ? [grouper] : [],
        filters: Object.freeze(remoteFilter ? filters.filter((each) => !each.filterFn) : []),
        search: remoteFilter ? search : '',
      }),
      local: derived(query, {
        sorters: remoteSort ? sorters.filter((each) => each.sorterFn) : sorters,
        groupers: remoteSort ? [] : groupers,
        filters: [...(remoteFilter ? functions : filters), ...searched],
        search: '',
      }),
    };
  }

  /** Compiles the local part of a query. Throws `UnsupportedQueryError` for a query that cannot be sent or answered locally so. */
  compile(query: Query<M>): CompiledQuery<M> {
    const { definition, prototype, options } = this;
    const known = this.splits.get(query)?.compiled;
    if (known) return known;
    this.refuseUnsendable(query);
    const split = this.split(query);
    return (split.compiled = compileQuery<M>(split.local, options.locale, definition, prototype));
  }

  /**
   * Throws `UnsupportedQueryError` for filter functions when the server filters: they would test the loaded rows only.
   * `allowPartial` allows them, but not inside a tree, because the server tests the other parts of the tree. Also throws for options that
   * cannot be sent: without them the server would sort or filter in another way.
   */
  refuseUnsendable(query: Query<M>): void {
    const { remoteSort, remoteFilter, autoSort, autoFilter, allowPartial } = this.options;
    const split = remoteFilter ? this.split(query) : undefined;
    const option = localOption(remoteSort ? query.sorters : [], split?.sent.filters);
    if (option) {
      const what = option === 'convert' ? 'Filter' : 'Sort';
      if (what === 'Filter' ? autoFilter : autoSort) throw partialQuery(what);
      throw new UnsupportedQueryError('query-local', { option, remote: `remote${what}` });
    }
    if (!split) return;
    const { sent, local } = split;
    const hasFunction = sent.filters.flatMap(conditionsOf).some(({ filterFn }) => filterFn);
    if (hasFunction || (local.filters.length > 0 && !allowPartial))
      throw autoFilter ? partialQuery('Filter') : new UnsupportedQueryError('query-function');
  }

  /** Whether a query has sorters, filters or groupers that are applied locally. */
  isLocal(query: Query<M>): boolean {
    const { sorters, groupers, filters } = this.split(query).local;
    return sorters.length + groupers.length + filters.length > 0;
  }

  /**
   * Throws `UnsupportedQueryError` if a query sorts, filters or groups locally. Called when only a part of the collection is loaded.
   */
  refuseLocal(query: Query<M>): void {
    const { sorters, groupers, filters } = this.split(query).local;
    if (sorters.length + groupers.length > 0) throw partialQuery('Sort');
    if (filters.length > 0) throw partialQuery('Filter');
  }

  /** Whether the rows that the server left for `sent` can answer a query: it filters in the same way, or further. */
  isAnsweredBy(sent: Query<M> | undefined, query: Query<M>): boolean {
    if (this.options.remoteFilter || !sent) return true;
    const { local } = this.split(query);
    const isSearched = sent.search === '' || sent.search === query.search;
    return isSearched && sent.filters.every((filter) => local.filters.some((each) => isSame(each, filter)));
  }
}

/** Whether the server filters what it sends for a query. */
export function isFiltered({ filters, search }: Pick<Query<Model>, 'filters' | 'search'>): boolean {
  return filters.length > 0 || search !== '';
}

/** The error for a query that would be answered from a part of the collection. */
export function partialQuery(remote: 'Sort' | 'Filter'): UnsupportedQueryError {
  return new UnsupportedQueryError('query-partial', { what: remote === 'Sort' ? 'sorting' : 'filtering', remote });
}
