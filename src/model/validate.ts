import { valueRemedy } from '../dev/checks.js';
import { formatMessage } from '../errors/message-format.js';
import type { Issue } from '../errors/validation-error.js';
import { isValidId } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import { isSame } from '../util/values.js';
import { type Change, isEditedSince, viewOf } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import { currentValue, type InnerRecord } from './record.js';
import { NO_ISSUES } from './record-core.js';
import { CORE, OWNER, ROW } from './symbols.js';

/**
 * Finds what is wrong with the values of a record: with all values, or if `newOnly` is set only with the new values that a save sends. With
 * `waiting`, these are the values of that change, on the row that the record has now.
 */
export function findIssues(record: InnerRecord, newOnly: boolean, waiting?: Change | undefined): Issue[] {
  const issues: Issue[] = [];
  // Validators read the record itself as long as it has the values of the change, some of which no row can hold.
  const isOther = waiting !== undefined && isEditedSince(record, waiting);
  const checked = isOther ? viewOf(record, { base: record[ROW], edits: waiting.edits }) : record;
  for (const field of record[MODEL].fields) issues.push(...findFieldIssues(checked, field, newOnly));
  return issues;
}

/** Finds what is wrong with the value of one field. */
function findFieldIssues(record: InnerRecord, field: FieldDefinition, newOnly: boolean): readonly Issue[] {
  const { idField, naturalId, messages, name } = record[MODEL];
  const core = record[CORE];
  if (field.config.calculate && !(naturalId && field === idField)) return NO_ISSUES;
  const edited = core?.edits?.has(field);
  const issues: Issue[] = [];
  if (edited || core?.phantom) {
    const value = currentValue(record, field);
    // A missing id is not an error, because the server will give it, unless ids are natural.
    const checked = field !== idField || naturalId || (edited && value !== undefined);
    const found = checked ? field.check(value, false, record, messages, core?.edits?.get(field)) : [];
    if (field === idField && naturalId && !isValidId(value) && found.length === 0)
      found.push({
        path: [field.name],
        code: 'required',
        message: formatMessage('id-required', { model: name, remedy: valueRemedy('id-required') }, messages),
      });
    issues.push(...found);
  } else if (newOnly) return NO_ISSUES;
  else issues.push(...field.check(field.raw(record[ROW]), true, record, messages));
  // All that a new record holds is new, also where it was read from the row of a copy.
  const newOnlyInside = newOnly && !core?.phantom;
  if (field.embedding) issues.push(...field.embedding.findIssues(currentValue(record, field), newOnlyInside));
  return issues;
}

/**
 * The issues in the server's response to the last write, also to that of the record which embeds this one, of fields that were not edited
 * since.
 */
export function serverIssues(record: InnerRecord): readonly Issue[] {
  const own = record[CORE]?.issues ?? NO_ISSUES;
  const ofHolders = [record[OWNER]].flat().flatMap((owner) => owner?.issuesOf?.(record) ?? NO_ISSUES);
  return ofHolders.length > 0 ? [...own, ...ofHolders] : own;
}

/** The issues of one field as `$.errors` has them: those that the model finds, then those in the server's response. */
export function issuesOfField(record: InnerRecord, field: FieldDefinition): readonly Issue[] {
  const ofServer = serverIssues(record).filter(({ path }) => String(path[0] ?? '') === field.name);
  return withoutRepeats([...findFieldIssues(record, field, false), ...ofServer]);
}

/**
 * The issues by field name: those that the model finds, then those in the server's response to the last write. With `newOnly`, the model checks
 * only the values that a save sends.
 */
export function issuesByField(record: InnerRecord, newOnly: boolean): Record<string, readonly Issue[]> {
  const byField: Record<string, Issue[]> = Object.create(null) as Record<string, Issue[]>;
  for (const issue of withoutRepeats([...findIssues(record, newOnly), ...serverIssues(record)]))
    (byField[String(issue.path[0] ?? '')] ??= []).push(issue);
  return byField;
}

/** The model and the server may report the same problem. */
function withoutRepeats(issues: readonly Issue[]): readonly Issue[] {
  const isRepeated = (issue: Issue, at: number) =>
    issues.slice(0, at).some((each) => each.message === issue.message && isSame(each.path, issue.path));
  return issues.filter((issue, at) => !isRepeated(issue, at));
}
