import type { Issue } from '../errors/issue.js';
import { formatMessage } from '../errors/messages.js';
import { isValidId } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import { isSame } from '../util/values.js';
import { currentValue, type InnerRecord } from './record.js';
import { CORE, ROW } from './symbols.js';

/**
 * Finds what is wrong with the values of a record: with all values, or if `newOnly` is set only with the new values that a save
 * sends.
 */
export function findIssues(record: InnerRecord, newOnly: boolean): Issue[] {
  const { fields, idField, naturalId, messages, name } = record[MODEL];
  const core = record[CORE];
  const issues: Issue[] = [];
  for (const field of fields) {
    if (field.config.calculate) continue;
    const edited = core?.edits?.has(field);
    if (edited || core?.phantom) {
      const value = currentValue(record, field);
      // A missing id is not an error, because the server will give it, unless ids are natural.
      const checked = field !== idField || naturalId || (edited && value !== undefined);
      const found = checked ? field.check(value, false, record, messages) : [];
      if (field === idField && naturalId && !isValidId(value) && found.length === 0)
        found.push({
          path: [field.name],
          code: 'required',
          message: formatMessage('id-required', { model: name }, messages),
        });
      issues.push(...found);
    } else if (newOnly) continue;
    else issues.push(...field.check(field.raw(record[ROW]), true, record, messages));
    if (field.embedding) issues.push(...field.embedding.findIssues(currentValue(record, field), newOnly));
  }
  return issues;
}

/** The issues of `$.errors` by field name: those that the model finds, then those in the server's answer to the last write. */
export function issuesByField(record: InnerRecord): Record<string, readonly Issue[]> {
  const { issues, problem } = (record[CORE]?.error ?? {}) as { issues?: Issue[]; problem?: { issues: Issue[] } };
  const serverIssues = issues ?? problem?.issues ?? [];
  const byField: Record<string, Issue[]> = Object.create(null) as Record<string, Issue[]>;
  for (const issue of [...findIssues(record, false), ...serverIssues]) {
    const name = String(issue.path[0] ?? '');
    const list = (byField[name] ??= []);
    if (!list.some((each) => each.message === issue.message && isSame(each.path, issue.path))) list.push(issue);
  }
  return byField;
}
