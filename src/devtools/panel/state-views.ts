import type { OutboxState, StoreState } from '../states.js';
import { create, facts, table } from './dom.js';
import { duration, inLine, queryWords } from './words.js';

/** The stores, each with its query, what is loaded, and why it is stale. */
export function storesView(stores: readonly StoreState[]): Node[] {
  if (stores.length === 0)
    return [
      create('p', { class: 'empty' }, 'There are no stores yet. Those of the session appear as soon as they are made.'),
    ];
  return [create('div', { class: 'cards' }, ...stores.map((store) => storeCard(store)))];
}

function storeCard(store: StoreState): HTMLElement {
  const { number, model, query, records, total, loadedPart, loading, pending, queued, stale, error } = store;
  return create(
    'section',
    { class: 'card', 'aria-label': `Store ${number} of ${model}` },
    create('h2', {}, `${model} `, create('span', { class: 'count' }, `store ${number}${loading ? ', loading' : ''}`)),
    stale !== undefined && create('p', { class: 'problem warning' }, `Stale: ${stale}.`),
    error !== undefined && create('p', { class: 'problem' }, error),
    facts([
      ['Query', queryWords(query)],
      ['Loaded', loadedPart],
      ['Records', total === undefined ? String(records) : `${records} of ${total}`],
      ['Unsaved', pending > 0 ? String(pending) : ''],
      ['In the outbox', queued > 0 ? String(queued) : ''],
    ]),
  );
}

/** The outboxes, each with the writes that it keeps. */
export function outboxesView(outboxes: readonly OutboxState[]): Node[] {
  if (outboxes.length === 0)
    return [
      create(
        'p',
        { class: 'empty' },
        'There is no outbox here. Give the inspector the one of the application, beside its session.',
      ),
    ];
  return outboxes.map((outbox) => {
    const { scope, waiting, sending, online, paused, error, entries, moreEntries } = outbox;
    const state = paused ? 'paused' : online ? 'online' : 'offline: writes are kept';
    return create(
      'section',
      { 'aria-label': `Outbox of ${scope}` },
      create('h2', {}, `Outbox of ${scope}`),
      create('p', { class: 'under' }, `${state} · ${waiting} waiting · ${sending} being sent`),
      error !== undefined && create('p', { class: 'problem' }, error),
      entries.length === 0
        ? create('p', { class: 'under' }, 'It keeps nothing: all writes were answered.')
        : table(
            `Writes that the outbox of ${scope} keeps`,
            ['Record', 'Write', 'State', 'Attempts', 'Values'],
            entries.map(({ model, id, action, state: of, attempts, values, error: why }) => [
              `${model} ${id === null ? '(new)' : inLine(id)}`,
              action,
              why === undefined ? of : create('span', {}, `${of}: `, create('del', {}, why)),
              String(attempts),
              inLine(values),
            ]),
          ),
      moreEntries > 0 && create('p', { class: 'under' }, `${moreEntries} more are not shown.`),
    );
  });
}

/** The sum of all times that attempts have waited, if it is worth telling. */
export function waitedWords(ms: number): string {
  return ms >= 50 ? `waited ${duration(ms)}` : '';
}
