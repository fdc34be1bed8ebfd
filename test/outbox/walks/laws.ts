import type { WalkServer } from './walk-server.js';
import type { SeenChange, StorageLog } from './walk-storage.js';
import type { Asked, AskedSave, WalkTab } from './walk-tab.js';

/** The state in which a run of tabs over one storage and one server has ended. */
export interface LawfulRun {
  readonly server: WalkServer;
  readonly asked: Asked;
  readonly log: StorageLog;
  readonly tabs: readonly WalkTab[];
}

/** The laws that a run has broken, each as a text. */
export function brokenLaws(run: LawfulRun): string[] {
  const { server, asked, log } = run;
  const findings: string[] = [...log.odd];
  const count = (mark: string) => server.created.filter((each) => each === mark).length;
  for (const mark of new Set(server.created)) {
    if (count(mark) > 1 && !asked.retried.has(mark)) findings.push(`doubled: ${mark} was created ${count(mark)} times`);
  }
  const saved = new Set(asked.saves.flatMap(({ values }) => Object.values(values ?? {})));
  for (const value of server.seen) {
    if (value !== '' && !saved.has(value)) findings.push(`unasked: the server got ${value}, which was only typed`);
  }
  findings.push(...lost(run), ...kept(run), ...reordered(run), ...shown(run));
  return findings;
}

/** Saves that were told as sent or queued, and of which nothing was stored. */
function lost({ asked, log }: LawfulRun): string[] {
  const isStored = (value: string) => log.appended.some(({ values }) => Object.values(values).includes(value));
  return asked.saves.flatMap(({ tab, mark, values, told, error }, at) => {
    if (told !== 'sent' && told !== 'queued') return [];
    return Object.entries(values ?? {}).flatMap(([field, value]) => {
      // A save of a record that another tab erases ends with the record.
      const isKept = asked.saves.some(
        (each, when) =>
          each.mark === mark &&
          (!each.values ||
            (when >= at && each.tab === tab && field in each.values && isStored(each.values[field] as string))),
      );
      return value === '' || isKept
        ? []
        : [
            `lost: ${mark}.${field} = ${value} was told as ${told} (${String((error as Error | undefined)?.message).slice(0, 90)}), and never stored`,
          ];
    });
  });
}

/** Records that were told as erased, and that the server still has. */
function kept({ asked, server, log }: LawfulRun): string[] {
  const isStored = ({ values = {} }: AskedSave, change: SeenChange) =>
    Object.values(values).some((value) => value !== '' && Object.values(change.values).includes(value));
  /** Whether a save is stored behind an erase of its record, although another tab may have called it before. */
  const isStoredBehindErase = (save: AskedSave) =>
    log.appended.some(
      (change, at) =>
        isStored(save, change) &&
        log.appended.slice(0, at).some(({ action, record }) => action === 'destroy' && record === change.record),
    );
  return asked.saves.flatMap(({ mark, values, told }, at) => {
    // A save in another tab may have cancelled the erase, and a decision may have given it up.
    const isCancelled =
      asked.decided.has(mark) ||
      asked.saves.some((each, when) => each.mark === mark && each.values && (when > at || isStoredBehindErase(each)));
    return values || told !== 'sent' || isCancelled || !server.rowOf(mark)
      ? []
      : [`kept: ${mark} was told as erased, and is still there`];
  });
}

/** Rows whose values are not those of the last change that was sent. */
function reordered(run: LawfulRun): string[] {
  const { asked, log, server } = run;
  const findings: string[] = [];
  const marks = new Set(asked.saves.map(({ mark }) => mark));
  const sent = log.appended.filter(({ key }) => log.outcomes.get(key) === 'sent').sort((a, b) => a.key - b.key);
  for (const mark of marks) {
    if (isTwoRecords(run, mark)) continue;
    const row = server.rowOf(mark);
    const values = asked.saves
      .filter((save) => save.mark === mark)
      .flatMap((save) => Object.entries(save.values ?? {}));
    for (const field of ['title', 'note']) {
      const ofField = values.filter(([name, value]) => name === field && value !== '').map(([, value]) => value);
      const last = sent.flatMap(({ values: stored }) => ofField.filter((value) => stored[field] === value)).at(-1);
      if (row && last !== undefined && row[field] !== last)
        findings.push(`reordered: ${mark}.${field} is ${String(row[field])}, and the last that was sent is ${last}`);
    }
    const isErased = asked.saves.some((save) => save.mark === mark && !save.values);
    const isCreated = sent.some(({ values: stored, action }) => action === 'create' && stored['mark'] === mark);
    if (!row && isCreated && !isErased) findings.push(`lost: ${mark} was told as created, and is not there`);
  }
  return findings;
}

/**
 * Whether changes were stored of a row, by its id, while nobody knew yet that it is the row of a create that is stored, because the response
 * to the create was lost. Until the create is answered these are two records, and each has an order of its own.
 */
function isTwoRecords({ log, asked }: LawfulRun, mark: string): boolean {
  const { appended, appendedBefore } = log;
  const create = appended.find(({ action, values }) => action === 'create' && values['mark'] === mark);
  const values = new Set(asked.saves.flatMap((save) => (save.mark === mark ? Object.values(save.values ?? {}) : [])));
  const before = create ? appended.slice(0, appendedBefore.get(create.key)) : [];
  return before.some(
    (each) =>
      each.record !== create?.record &&
      Object.values(each.values).some((value) => value !== '' && values.has(String(value))),
  );
}

/** Records that are shown with other values than the server has, though nothing waits. */
function shown({ tabs, server, asked }: LawfulRun): string[] {
  return tabs
    .filter(({ isAlive }) => isAlive)
    .flatMap((tab) =>
      tab.records.flatMap((record) => {
        const row = server.rowOf(record.mark);
        const { name } = tab.identity as { name: string };
        if (record.dirty || record.phantom) return [];
        // The request of an erase that was given up may arrive late.
        const isErased = asked.saves.some(({ mark, values }) => mark === record.mark && !values);
        if (!row && isErased && asked.decided.has(record.mark as string)) return [];
        if (!row) return [`shown: ${name} shows ${record.mark}, which is not there`];
        return (['title', 'note'] as const).flatMap((field) =>
          record[field] === row[field]
            ? []
            : [
                `shown: ${name} shows ${record.mark}.${field} as ${record[field]}, and the server has ${String(row[field])}`,
              ],
        );
      }),
    );
}
