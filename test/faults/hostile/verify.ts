import type { Findings } from '../findings.js';
import { canonicalNumber, type Members } from './exact-json.js';
import { isUnknown, jsonOf, type Subject, valueAt } from './subject.js';

/** Members that no field maps to; the ledger watches them. */
const UNDECLARED: ReadonlySet<string> = new Set(['owner', 'serial', 'audit']);

/** The two sides of a comparison for one record. */
export interface Verified {
  readonly subject: Subject;
  /** Its row on the server. */
  readonly row: Members | undefined;
  /** Whether its outbox still has something to send. */
  readonly queued: boolean;
}

/** Compares a record without pending writes with the user's edits and the server's row. */
export function verify({ subject, row, queued }: Verified, findings: Findings): void {
  const { record, last, ref, kind, erase } = subject;
  const name = `${kind} ${ref}`;
  const report = (what: keyof Findings, text: string) => {
    subject.reported = true;
    findings[what].push(`${name}: ${text}`);
  };
  if (subject.reported || record.$.saving) return;
  if (record.erased || subject.gone) {
    if (row) report('lost', 'it was erased, and the server still has it');
    return;
  }
  for (const [path, value] of last) {
    const shown = valueAt(record, path);
    if (jsonOf(shown) !== jsonOf(value))
      return report('lost', `shows ${path} ${jsonOf(shown)}, ${jsonOf(value)} was set`);
  }
  if (erase || record.$.unconfirmed || queued) return;
  if (record.phantom) {
    if (row) report('doubled', 'the server has it, but it is new and not unconfirmed: it would be created again');
    return;
  }
  if (!row) return report('lost', 'it looks saved, and the server does not have it');
  const { modified } = record.$;
  for (const [member, text] of Object.entries(row)) {
    if (UNDECLARED.has(member)) continue;
    const value = record.get(member);
    if (member === 'id' || Object.hasOwn(modified, member) || value === undefined || value === null || value === '')
      continue;
    if (!last.has(member) && !last.has(`${member}.name`) && isUnknown(value)) continue;
    if (member === 'count' && !Number.isSafeInteger(value) && !Object.hasOwn(record.$.errors, member))
      report('odd', `${member} shows ${jsonOf(value)} for ${text}, and no error`);
    if (!isSame(member, value, text)) report('lost', `${member} is ${jsonOf(value)} and saved, the server has ${text}`);
  }
}

/** Whether a value equals a member, as exactly as JavaScript can compare. */
function isSame(member: string, value: unknown, text: string): boolean {
  const bare = text.replaceAll('"', '');
  if (member === 'big') return value === BigInt(bare);
  if (member === 'price') return typeof value === 'string' && canonicalNumber(value) === canonicalNumber(bare);
  return jsonOf(value) === JSON.stringify(JSON.parse(text));
}
