import type { IncomingMessage } from 'node:http';
import { type KindName, kindOf, kinds } from './kinds.js';
import type { RequestKind } from './oddities.js';

/** A parsed request. */
export interface Asked {
  readonly number: number;
  readonly kind: KindName;
  readonly what: RequestKind;
  readonly method: string;
  readonly path: string;
  /** The id in the address, as in the row. */
  readonly id: string;
  readonly body: string;
  readonly key: string | undefined;
  /** Whether the body is a list of rows. */
  readonly many: boolean;
}

const ADDRESS = /^(\/moved)?\/([a-z]+)(?:\/([^/?]+))?(?:\?(.*))?$/;

/** The meaning of a request; undefined for a request that nobody may send. */
export function understand(request: IncomingMessage, body: string, number: number): Asked | undefined {
  const { method = '', url = '', headers } = request;
  const [, moved, name, part] = ADDRESS.exec(url) ?? [];
  const kind = kinds.find((each) => each === name);
  if (!kind) return undefined;
  const many = kindOf[kind].bulk && !part && body.startsWith('[');
  const one = { GET: 'read', PUT: 'update', PATCH: 'update', DELETE: 'destroy' } as const;
  const all = { GET: 'list', POST: 'create', ...(many && { PUT: 'update', DELETE: 'destroy' }) } as const;
  const what: RequestKind | undefined = part ? one[method as 'GET'] : all[method as 'GET'];
  const id = part === undefined ? '' : idIn(kind, decodeURIComponent(part));
  const isRead = what === 'read' || what === 'list';
  if (!what || (id === undefined && !isRead) || (moved && !isRead)) return undefined;
  const key = headers['idempotency-key'] as string | undefined;
  const [path = ''] = url.replace(/^\/moved/, '').split('?', 1);
  return { number, kind, what, method, path, id: id ?? '', body, key, many };
}

/** The id of an address, as rows have it. */
function idIn(kind: KindName, part: string): string | undefined {
  const text = kind === 'payments' ? JSON.stringify(part.toLowerCase()) : part;
  return /^"|^\d+$/.test(text) ? text : undefined;
}
