/**
 * For authors of extensions, proxies and dialects: what a dialect is made of, the layers of extensions, the slots and notes in which an
 * extension keeps what it knows of a record or a row, and the clock of the platform. Applications that use them need `repose` alone.
 *
 * @module
 */
export { defineDialect, serverName } from './dialect/define-dialect.js';
export type { DialectDefaults, StepContext } from './dialect/dialect.js';
export { type SentSorter, sentFields, sentFilters, sentSorters } from './dialect/sent-query.js';
export { type ProblemFamilyConfig, problemFamily } from './errors/problem-family.js';
export type { Send } from './extension/extension.js';
export type { Keeper } from './extension/keeper.js';
export { LAYERS } from './extension/layers.js';
export { isAsReceived, noteOf, setNote } from './extension/row-notes.js';
export type {
  Change,
  Ending,
  Outcome as WriteOutcome,
  SettledOutcome,
  Write,
  WriteAction,
  WriteStep,
  WrittenRecord,
} from './extension/write-hook.js';
export { setSlot, slotOf } from './model/record.js';
export { rowOf } from './operation/operation-record.js';
export { operatorOf } from './operation/query-parts.js';
export { systemClock } from './util/clock.js';
