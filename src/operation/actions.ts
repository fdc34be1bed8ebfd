import type { CompositeId } from '../util/composite-id.js';

/** An action on records: create, read, update or destroy. */
export type Action = 'create' | 'read' | 'update' | 'destroy';

/** The HTTP methods that Repose uses by itself; a server may know others. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The id of a record. */
export type RecordId = string | number;

/** An id as calls take it: of a model whose id has several fields, the list of its parts. */
export type AnyId = RecordId | CompositeId;
