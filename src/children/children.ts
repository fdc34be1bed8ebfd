import type { ModelType, Referred } from '../model/field.js';
import type { Model } from '../model/model.js';
import { coreOf, guardErased, inner } from '../model/record.js';
import { childrenIn } from '../model/record-children.js';
import type { Store } from '../store/store.js';
import { sharedRecordsOf } from '../sync/shared-records.js';
import { ChildrenScope } from './children-scope.js';
import { ChildrenOfParent } from './children-writes.js';
import { checkedModel, linkTo } from './parent-link.js';
import { childScopes, followSession } from './siblings.js';
import { joiningField, ThroughScope } from './through-scope.js';

/** Options of `childrenOf`. */
export interface ChildrenOptions<K> {
  /** The field by which the records refer to the parent. @default the only reference that leads to the model of the parent */
  by?: K | undefined;
}

/** Options of `through`. */
export interface ThroughOptions<K> extends ChildrenOptions<K> {
  /** The field by which the joining records lead to the listed ones. @default the only other reference that leads to their model */
  to?: K | undefined;
}

/**
 * The store of the records of a model that refer to a record, its children: an ordinary store, made once for each parent, and held as long as
 * the parent. Its loads ask for the children of this parent only, by the address (`/orders/{orderId}/lines`) or by a filter. Records that are
 * added refer to the parent, also while that is new. A record that comes to refer to another parent moves to the store of that one. The store
 * of a new parent is complete as it is, and sends nothing. Throws `DefinitionError` if no reference leads to the model of the parent, or if
 * several do and `by` names none; and `StateError` for an erased parent.
 *
 * @example
 * ```ts
 * const lines = childrenOf(order, Line);
 * await lines.load(); // GET /orders/7/lines
 * lines.add({ sku: 'A-1' });
 * ```
 */
export function childrenOf<B extends typeof Model, K extends keyof ReturnType<B['references']>>(
  parent: Referred<ReturnType<B['references']>[K]>,
  model: B,
  options: ChildrenOptions<K> = {},
): Store<InstanceType<B>> {
  return scopeOf(model, parent as Model, options.by as string | undefined).store as Store<InstanceType<B>>;
}

/**
 * The store of the records of a model that belong to a record by a joining model, many to many: the tags of a post by its taggings. It is made
 * once for each record, and held as long as the record. `add()` adds joining records to `childrenOf` of the joining model, `remove()` removes
 * them, and the tags stay; a tag that is there already is not added again. It shows each tag once, in the order of the taggings. `load()` reads
 * the taggings, and then the tags that are not known, many in one request where the server can filter by a list of ids. `sync()` writes new
 * tags and then the taggings. Throws `DefinitionError` if the references of the joining model do not lead to both sides, or if several do and
 * `by` (the side of the record) or `to` (the side of the listed model) name none.
 *
 * @example
 * ```ts
 * const tags = through(post, Tag, Tagging);
 * await tags.load(); // GET /taggings?postId=7, GET /tags?id=1&id=2
 * tags.add(tag); // a new tagging
 * ```
 */
export function through<B extends typeof Model, J extends typeof Model, K extends keyof ReturnType<J['references']>>(
  record: Referred<ReturnType<J['references']>[K]>,
  model: B,
  joining: J,
  options: ThroughOptions<K> = {},
): Store<InstanceType<B>> {
  const { by, to } = options as ThroughOptions<string>;
  checkedModel(model);
  const joins = scopeOf(joining, record as Model, by);
  const field = joiningField(joining, model, joins.link.field, to);
  const made = joins.throughs.get(field);
  if (made && !made.disposed) return made as Store<InstanceType<B>>;
  const shared = sharedRecordsOf(inner(record as Model));
  const { store } = new ThroughScope(model as ModelType<Model>, joins, field, shared);
  joins.throughs.set(field, store);
  return store as Store<InstanceType<B>>;
}

/** The children of a record, which are made once for each reference. */
function scopeOf(Class: typeof Model, parent: Model, by: string | undefined): ChildrenScope<Model> {
  const link = linkTo(Class, parent, by);
  const made = childScopes(link.parent).find(
    ({ model, store, link: { field } }) => !store.disposed && (model as unknown) === Class && field === link.field,
  );
  if (made) return made;
  guardErased(link.parent);
  const shared = sharedRecordsOf(inner(parent));
  if (shared) followSession(shared);
  const scope = new ChildrenScope(Class as ModelType<Model>, link, shared);
  const children = childrenIn(coreOf(link.parent));
  children.writes ??= new ChildrenOfParent(parent, children);
  children.add(scope);
  return scope;
}
