import { checkOptions } from '../../dev/checks.js';
import type { ConflictError } from '../../errors/conflict-error.js';
import { callable, oneOf } from '../../errors/option-rules.js';
import type { Problem } from '../../errors/problem.js';
import type { HttpError } from '../../errors/request-errors.js';
import type { ValidationError } from '../../errors/validation-error.js';
import type { Extension } from '../../extension/extension.js';
import { LAYERS } from '../../extension/layers.js';
import type { Outcome, Write } from '../../extension/write-hook.js';
import { type InnerRecord, inner } from '../../model/record.js';
import { type RecordWrite, sentRecords } from '../../model/write.js';
import type { Operation } from '../../operation/operation.js';
import { MODEL, type OperationRecord } from '../../operation/operation-record.js';
import { type ProxyRequest, willBeConditional } from '../../operation/proxy-request.js';
import { answerError } from '../../proxy/decode.js';
import {
  COMPARES,
  type ComparingExtension,
  mayReadBefore,
  RESOLVES,
  readBefore,
  unseenOutcome,
} from '../unknown-tag.js';
import { attachResolver } from './conflict-resolution.js';

/** Options of {@link conflicts}. */
export interface ConflictsConfig {
  /**
   * Whether the refusal of an update or erase means that the record has changed on the server: called with the error of a response. Undefined
   * leaves it to the rule. A function that throws fails the write with a `DefinitionError`.
   * @default 412 and 428, and 409 if the write carried a version (`If-Match`, a lock version, `etagProperty`) and the response has no
   * errors by field
   */
  when?: (error: HttpError<string> | ValidationError) => boolean | undefined;
  /**
   * `'read'`: the row is read before each update and erase that carries no ETag, for servers without ETags and versions. If it has changed
   * since in an edited field, in any field if the request sends the row whole, or in any known member if it erases the row, the write is a
   * `ConflictError`, and nothing is sent. Nor is it where the read fails. A change between this read and the write is replaced. Several
   * records in one request are not compared.
   * @default `'answer'`: the response to the write tells
   */
  compare?: 'answer' | 'read';
}

/**
 * Lets the application resolve conflicts. The `ConflictError` of a 412, a 428, or a 409 to a write that carried a version gets the server's
 * row (`theirs`), if the response holds it, and working methods `keepMine()`, `takeTheirs()` and `merge()`. Without this extension these
 * methods throw, and `theirs` is undefined. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * // The server answers 409 to a stale update, though the update carries no version.
 * const stale = conflicts({ when: ({ status, problem }) => (problem?.code === 'stale' ? true : undefined) });
 * class ApiModel extends Model.with({ proxy: { use: [stale] } }) {}
 * ```
 */
export function conflicts(config: ConflictsConfig = {}): Extension {
  checkOptions('conflicts', config, { when: callable, compare: oneOf('answer', 'read') });
  const { when, compare } = config;
  return Object.freeze<ComparingExtension>({
    name: 'conflicts',
    layer: LAYERS.conflicts,
    [COMPARES]: compare === 'read',
    [RESOLVES]: attachResolver,
    async write(write, next) {
      const unseen = unseenOutcome(write as RecordWrite);
      const isCompared = !unseen && compare === 'read' && isUnguarded(write);
      const stale = isCompared ? (await readBefore(write as RecordWrite)).stale : unseen;
      return (stale ?? (await next(write))).map((outcome, at) => {
        const told = when ? decided(write, outcome, when) : outcome;
        if (told.error?.code !== 'conflict') return told;
        const record = inner(write.records[at] as Write['records'][number]);
        const error = conflictOf(record, told.error as ConflictError);
        attachResolver(record, error, (write as RecordWrite).innerChanges[at], () => write.proxy);
        return { ...told, error };
      });
    },
  });
}

/** Whether a write of one row goes out without a condition. */
function isUnguarded(write: Write): boolean {
  const [sent] = sentRecords(write as RecordWrite);
  return mayReadBefore(write) && !willBeConditional(sent as OperationRecord, write.action, write.proxy);
}

/** The outcome with the error that the option `when` decides on. */
function decided(write: Write, outcome: Outcome, when: NonNullable<ConflictsConfig['when']>): Outcome {
  const { error } = outcome;
  const { operation } = error ?? {};
  const { status, problem } = (error ?? {}) as { status?: number; problem?: Problem };
  if (!operation?.request || operation.action === 'create' || !status || !problem) return outcome;
  const isChanged = when(error as HttpError<string> | ValidationError);
  if (isChanged === undefined || isChanged === (error?.code === 'conflict')) return outcome;
  const request = Object.assign(Object.create(operation.request) as ProxyRequest, {
    operation,
    response: operation.response,
  });
  const told = answerError(isChanged ? 'conflict' : 'http', request, problem);
  const messages = { ...operation.records[0]?.[MODEL].messages, ...write.proxy.messages };
  operation.error = told.inContext(operation, messages);
  return { ...outcome, error: told };
}

/**
 * The conflict of a record. If one response refuses several records, each gets an error of its own, without the body: that does not say which row of
 * the server belongs to which record.
 */
function conflictOf(record: InnerRecord, error: ConflictError): ConflictError {
  const { operation, problem } = error;
  if (!operation?.request || !problem || operation.records.length === 1) return error;
  const response = { ...operation.response, body: undefined, exact: undefined, text: '' };
  const own = Object.assign(Object.create(operation) as Operation, { records: [record], response });
  const request = Object.assign(Object.create(operation.request) as ProxyRequest, { operation: own, response });
  return answerError('conflict', request, problem).inContext(own, record[MODEL].messages) as ConflictError;
}
