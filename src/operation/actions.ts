/** What can be done to records: the four actions of the document. */
export type Action = 'create' | 'read' | 'update' | 'destroy';

/** The verbs that Repose sends by itself; a server may know others. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a record is found by. */
export type RecordId = string | number;
