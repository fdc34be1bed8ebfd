// The types that all bindings of frameworks name in their functions.

export type { EnteredEvent, EnteredInput } from '../form/field-input.js';
export type { Active, Listed, Loadable, Shown } from '../store/shown.js';
export type { InputAttributes } from './form-binding.js';
export type { Grouped, GroupSnapshot, GroupsSnapshot } from './groups-source.js';
export type { LoadedOptions, LoadedSnapshot } from './loaded-record.js';
export type { FailedEntry, OutboxBinding, ShownOutbox } from './outbox-binding.js';
export type { ListBinding, LoadActions, LoadActionsOf, ReloadActions, StatusBinding } from './read-actions.js';
export type { BoundRecord, RecordActions, WriteOutcome } from './record-actions.js';
export type { ReferenceName, Referred, Referring } from './reference-source.js';
export type { SelectionActions, SelectionBinding } from './selection-binding.js';
export type { RecordOf, ShownStore, StoreBinding } from './store-source.js';
export type { ViewBinding, WindowBinding } from './view-source.js';
