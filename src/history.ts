/**
 * Undo and redo: a session records what the user does, and takes it back, also after the server has written it.
 *
 * @module
 */
export { type HistoryOptions, historyOf } from './history/history-of.js';
export type {
  HistoryChange,
  HistoryState,
  HistoryStep,
  SessionHistory,
  UndoOptions,
} from './history/session-history.js';
