import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { ModelPart } from '../model/model-part.js';
import { coreOf, guardErased, inner } from '../model/record.js';
import type { Store } from '../store/store.js';
import { sharedRecordsOf } from '../sync/shared-records.js';
import { ChildrenScope } from './children-scope.js';
import { linkTo } from './parent-link.js';
import { childrenIn } from './record-children.js';
import { saveGraph } from './save-graph.js';
import { childScopes, followSession } from './siblings.js';
import { joiningField, ThroughScope } from './through-scope.js';

/**
 * The part that makes stores of the records that refer to a record: `Line.childrenOf(order)`. It is in no list by itself, because it brings the
 * stores along.
 *
 * @example
 * ```ts
 * class AppModel extends Model {
 *   static override readonly parts: readonly ModelPart[] = [...Model.parts, children];
 * }
 * ```
 */
export const children: ModelPart = {
  name: 'children',
  children: {
    childrenOf: (...given) => scopeOf(...given).store,
    through,
    of: (record) => childrenIn(coreOf(record)),
    saveGraph,
  },
};

/** The children of a record, which are made once for each reference. */
function scopeOf(Class: typeof BaseModel, parent: BaseModel, by: string | undefined): ChildrenScope<BaseModel> {
  const link = linkTo(Class, parent, by);
  const made = childScopes(link.parent).find(
    ({ model, store, link: { field } }) => !store.disposed && (model as unknown) === Class && field === link.field,
  );
  if (made) return made;
  guardErased(link.parent);
  const shared = sharedRecordsOf(inner(parent));
  if (shared) followSession(shared);
  const scope = new ChildrenScope(Class as unknown as ModelType<BaseModel>, link, shared);
  childrenIn(coreOf(link.parent)).add(scope);
  return scope;
}

function through(
  Target: typeof BaseModel,
  Joining: typeof BaseModel,
  record: BaseModel,
  { by, to }: { readonly by?: string | undefined; readonly to?: string | undefined },
): Store<BaseModel> {
  const joins = scopeOf(Joining, record, by);
  const field = joiningField(Joining, Target, joins.link.field, to);
  const made = joins.throughs.get(field);
  if (made && !made.disposed) return made;
  const shared = sharedRecordsOf(inner(record));
  const { store } = new ThroughScope(Target as unknown as ModelType<BaseModel>, joins, field, shared);
  joins.throughs.set(field, store);
  return store;
}
