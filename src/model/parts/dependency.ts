import type { recordMessages } from '../../dev/messages/main.js';
import type { DataError } from '../../errors/data-error.js';
import { AddressError } from '../../errors/mistakes.js';
import { DependencyError } from '../../errors/write-errors.js';
import type { RecordId } from '../../operation/actions.js';
import { MODEL } from '../../operation/operation-record.js';
import { readUrl } from '../../proxy/address.js';
import type { AjaxProxy } from '../../proxy/ajax-proxy.js';
import type { DataProxy } from '../../proxy/data-proxy.js';
import type { FieldDefinition } from '../field-definition.js';
import { type InnerRecord, inner } from '../record.js';
import { modelAndId } from '../record-error.js';
import { restoreTemporaryId, settleErased } from '../settle.js';
import { CORE } from '../symbols.js';
import type { Reference, Target } from './reference-fields.js';

/**
 * Makes an erased record in place of a new record that was dropped and no longer exists. A record that still refers to the dropped
 * record needs it as the `parent` of its error.
 */
export function makeDroppedRecord(Class: Target): InnerRecord {
  const record = inner(new Class({}, { phantom: true }));
  settleErased(record);
  return record;
}

/** The keys of the error texts that say why a record cannot be sent before the new record (its parent) that it refers to. */
export type ParentReason = Extract<keyof typeof recordMessages, `parent-${string}`>;

/** The error of a record that is not sent, because its `field` refers to the new record `parent`, which has no id of the server. */
export function dependencyError(
  reason: ParentReason,
  record: InnerRecord,
  field: FieldDefinition,
  parent: InnerRecord,
  cause: DataError | undefined = parent[CORE]?.failure,
): DependencyError {
  const { model, id } = modelAndId(parent);
  const params = {
    ...modelAndId(record),
    field: field.name,
    parent: model,
    parentId: id,
    why: cause?.message ?? 'for an unknown reason',
  };
  return new DependencyError(reason, params, parent, cause, record[MODEL].messages);
}

/**
 * The error of a record that is not sent, because a reference still holds the temporary id `id` of a new record. `parent` is that new
 * record, or undefined if it was dropped. Returns an `AddressError` if the parent was never saved and an address of the proxy contains
 * the field, such as `/users/{userId}/tasks`.
 */
export function referenceError(
  reason: ParentReason,
  record: InnerRecord,
  [field, target]: Reference,
  parent: InnerRecord | undefined,
  id: unknown,
  proxy: DataProxy,
): DataError {
  if (parent) {
    const { url, api } = proxy as Partial<Pick<AjaxProxy, 'url' | 'api'>>;
    const addresses =
      reason === 'parent-new'
        ? [url, ...Object.values({ ...api, list: readUrl(api?.list), read: readUrl(api?.read) })]
        : [];
    if (addresses.some((each) => String(each).includes(`{${field.name}}`))) return unsavedError(field.name);
    return dependencyError(reason, record, field, parent);
  }
  const dropped = makeDroppedRecord(target);
  restoreTemporaryId(dropped, id as RecordId);
  return dependencyError(reason, record, field, dropped);
}

/** The error of an address that needs the id of a new record: that record must be saved first. */
export function unsavedError(name: string): AddressError {
  return new AddressError('template-phantom', { name, url: `{${name}}` });
}
