// The form of recordings: plain data, so that a recording can be written to a file, sent to a colleague, and replayed.

/** A value as JSON can carry it. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

/** Plain values by name. */
export interface PlainValues {
  readonly [name: string]: Plain;
}

/** The work of an operation. `call`: a call by `proxy.send()`, such as a declared action. `count`: only the number of rows is asked for. */
export type OperationKind = 'read' | 'create' | 'update' | 'destroy' | 'call' | 'count';

/** How an operation stands. `refused`: it failed before anything was sent. */
export type OperationState = 'running' | 'done' | 'failed' | 'refused' | 'aborted';

/** A part of a request, with the reason for it in words. */
export interface ReasonedPart {
  /** The part of the request that this is. */
  readonly place: 'method' | 'address' | 'header' | 'body';
  /** The text of the part as it is sent. */
  readonly text: string;
  /** The reason, as a sentence without its full stop. */
  readonly reason: string;
  /** The option behind the part, such as `filterParam`. */
  readonly option: string;
}

/** The error of an operation or attempt. */
export interface RecordedError {
  readonly name: string;
  /** The code of the error, such as `http` or `network`. */
  readonly code: string;
  readonly message: string;
  /** The messages at fields, if it has some. */
  readonly issues?: readonly string[];
}

/** A body, or the beginning of a long one. */
export interface RecordedBody {
  readonly text: string;
  /** Number of characters of the whole body. */
  readonly length: number;
  /** Why `text` is not what was sent or received; undefined: it is. `form`: a form with files, shown for people. `stream`, `blob`: it was not kept. */
  readonly only?: 'beginning' | 'form' | 'stream' | 'blob';
}

/** One attempt to send a request. */
export interface RecordedAttempt {
  /** Milliseconds from the start of the operation. */
  readonly at: number;
  /** Milliseconds of waiting before it: for the end of a retry's wait, a limit of requests, a sign-in. */
  readonly waited: number;
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RecordedBody;
  /** Milliseconds until the response had been received, or the attempt had failed; undefined: it is running. */
  readonly duration?: number;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: RecordedBody;
  /** Why no response came. */
  readonly error?: RecordedError;
}

/** A record of an operation, before and after. */
export interface RecordedRecord {
  readonly id: Plain;
  /** The values before the operation, by field; undefined: the client did not know the record. */
  readonly before?: PlainValues;
  /** The row of the server: that of the response of a read, or the one under the edits of a write. */
  readonly row?: PlainValues;
  /** The edited values that a write sends, by field. */
  readonly sent?: PlainValues;
  /** The values afterwards; undefined: the record is gone, or the operation has not ended. */
  readonly after?: PlainValues;
  /** Whether the record has edits afterwards that are not saved. @default false */
  readonly isEdited?: boolean;
}

/** The query of a list, as far as the server was asked for it. */
export interface RecordedQuery {
  readonly id?: Plain;
  readonly page?: number;
  readonly start?: number;
  readonly limit?: number;
  readonly sorters?: Plain;
  readonly filters?: Plain;
  readonly grouper?: Plain;
  readonly search?: string;
  readonly fields?: readonly string[];
  readonly params?: PlainValues;
  readonly pathParams?: PlainValues;
  readonly link?: string;
}

/** One operation of a proxy, as an inspector has seen it. Frozen; a change of the operation makes another object. */
export interface RecordedOperation {
  /** Counts the operations of the recorder, from 1. */
  readonly number: number;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** The name of the model; undefined: it is about none. */
  readonly model?: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds; undefined: it is running. */
  readonly duration?: number;
  readonly query?: RecordedQuery;
  /** The parts of the request, each with its reason. */
  readonly parts: readonly ReasonedPart[];
  readonly attempts: readonly RecordedAttempt[];
  /** Number of rows in the response. */
  readonly rows?: number;
  /** Number of rows of the whole list, if the server says so. */
  readonly total?: number;
  readonly records: readonly RecordedRecord[];
  /** Number of further records that are not in `records`. */
  readonly moreRecords: number;
  readonly error?: RecordedError;
  /** The parameter whose value differs in each request, to get around caches. */
  readonly cacheParam?: string;
  /** The outboxes when the operation ended: how many writes wait, and how many need a decision. */
  readonly outbox?: { readonly waiting: number; readonly failed: number };
}

/** A recording, as `recorder.recording()` exports it. Its secrets are masked. */
export interface Recording {
  readonly format: 'repose-recording';
  readonly version: 1;
  /** When it was exported, in ISO form. */
  readonly recordedAt: string;
  /** The names of fields whose values are masked, beside those that look like secrets. */
  readonly secrets: readonly string[];
  readonly operations: readonly RecordedOperation[];
  /** Number of operations that the recorder had forgotten, to stay within its limit. */
  readonly forgotten: number;
}
