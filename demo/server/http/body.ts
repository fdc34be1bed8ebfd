import type { Json } from '../data/json.js';
import { Problem } from '../problem.js';

function isJsonType(type: string): boolean {
  return type === '' || type === 'application/json' || type === 'application/merge-patch+json';
}

/** The JSON body of a request; undefined without one. */
export async function readBody(request: Request): Promise<Json | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length === 0) return undefined;
  const type = (request.headers.get('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!isJsonType(type)) throw new Problem(415, `The body is ${type}, not application/json`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new Problem(400, 'The body is malformed JSON');
  }
}

/** The JSON body of a request that must have one. */
export async function requireBody(request: Request): Promise<Json> {
  const body = await readBody(request);
  if (body === undefined) throw new Problem(400, 'The request needs a JSON body');
  return body;
}
