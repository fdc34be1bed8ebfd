import { wrongValue } from '../errors/option-rules.js';
import type { Model } from '../model/model.js';
import { type Selection, type SelectionSnapshot, selectionOf } from '../store/selection.js';
import { Store } from '../store/store.js';
import type { Source } from '../util/value-source.js';
import { withActions } from './owned.js';

/** The functions of a selection for listeners of buttons and boxes; they can be passed on without the selection. */
export type SelectionActions<M extends Model> = Pick<
  Selection<M>,
  'select' | 'deselect' | 'toggle' | 'selectRange' | 'selectAll' | 'clear'
>;

/** The selection of a store on a screen: its state at one moment, and what changes it. */
export type SelectionBinding<M extends Model> = SelectionSnapshot<M> & SelectionActions<M>;

/** Makes the source of the selection of a store. Throws `DefinitionError` for a value that is no store. */
export function selectionSource<M extends Model>(store: Store<M>): Source<SelectionBinding<M>> {
  if (!(store instanceof Store)) throw wrongValue('What shows a selection', 'a store', store);
  const selection = selectionOf<M>(store);
  const actions: SelectionActions<M> = {
    select: (...items) => selection.select(...items),
    deselect: (...items) => selection.deselect(...items),
    toggle: (item) => selection.toggle(item),
    selectRange: (from, to) => selection.selectRange(from, to),
    selectAll: () => selection.selectAll(),
    clear: () => selection.clear(),
  };
  return withActions(selection, actions);
}
