import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import type { Session } from '../sync/session.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { readState } from './check-state.js';
import { Hydration } from './hydration.js';
import type { RenderedState } from './state.js';

/**
 * Gives a session the data from which its page was rendered. Each row becomes a record of the session; a record that exists keeps its
 * edits, and the row becomes its base, unless the session has read or written it itself, or has a row of a later state. A store of the
 * session, present or future, shows what the same store showed on the server: it is `loaded`, its `ready` is resolved, and `autoLoad`
 * sends nothing. A store is the same if its model has the same name, and its first load would ask for the same.
 *
 * `models` are the classes of the rows, unless stores of the session have them. Throws `ReadError`, and changes nothing, for a text or
 * object that is no state of this version, for an unknown model and for rows without ids.
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
  models: readonly ModelType<BaseModel>[] = [],
): void {
  const { records } = session as unknown as { readonly records: SharedRecords };
  const classes = new Set([...models, ...records.stores.map(({ model }) => model)]);
  const definitions = [...classes].map((Class) => (Class as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION]);
  const checked = readState(state, new Map(definitions.map((definition) => [definition.name, definition])));
  records.hydration ??= new Hydration(records);
  records.hydration.add(checked, [...classes]);
}
