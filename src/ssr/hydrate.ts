import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { Session } from '../sync/session.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { readState } from './check-state.js';
import type { ModelNames } from './dehydrate.js';
import { Hydration } from './hydration.js';
import type { RenderedState } from './state.js';

/**
 * Gives a session the data from which its page was rendered. Each row becomes a record of the session; a record that exists keeps its
 * edits, and the row becomes its base, unless the session has read or written it itself, or has a row of a later state. A store of the
 * session, present or future, shows what the same store showed on the server: it is `loaded`, its `ready` is resolved, and `autoLoad`
 * sends nothing. A store is the same if its class has the rows, and its first load would ask the same address for the same.
 *
 * `models` are the classes of the rows, unless stores of the session have them: a list, or an object with the names that `dehydrate` was
 * given. The rows of a class belong to exactly one class here, whose model has the same name and which reads from the same address; if
 * there is none, the rows are not used, and stores load theirs. Throws `ReadError`, and changes nothing, for a text or object that is no
 * state of this version, for an unknown model or name, for rows that belong to more than one of the classes, and for rows without ids.
 *
 * @example
 * ```ts
 * import { hydrate } from 'repose/ssr';
 *
 * const session = new Session();
 * hydrate(session, document.getElementById('state')?.textContent ?? '', [Task]);
 * const tasks = new Store({ model: Task, session }); // shows the list at once
 * ```
 */
export function hydrate(
  session: Session,
  state: string | RenderedState,
  models: readonly ModelType<BaseModel>[] | ModelNames = [],
): void {
  const { records } = session as unknown as { readonly records: SharedRecords };
  const ofStores = records.stores.map(({ model }) => model);
  const [byName, given] = isList(models) ? [{}, models] : [models, []];
  const [checked, classes] = readState(state, { byName, given, ofStores });
  records.hydration ??= new Hydration(records);
  records.hydration.add(checked, classes);
}

function isList(models: readonly ModelType<BaseModel>[] | ModelNames): models is readonly ModelType<BaseModel>[] {
  return Array.isArray(models);
}
