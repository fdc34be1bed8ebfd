import { type Data, isData, setMember } from '../util/data-path.js';

/** A body that has arrived. A form is turned into JSON, as the headers then say. */
interface ReceivedBody {
  readonly body: string;
  readonly headers: Headers;
}

const FORM_BODY = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * Receives the body of a request. The values of a form are texts, and a file becomes its name. Names in brackets or with dots
 * (`user[tags][]`, `user.tags[0]`) make nested values.
 */
export async function receiveBody(request: Request): Promise<ReceivedBody> {
  const { headers } = request;
  if (!FORM_BODY.test(headers.get('content-type') ?? '')) return { body: await request.clone().text(), headers };
  const row: Data = {};
  for (const [name, value] of await request.clone().formData()) {
    place(row, name.match(/[^.[\]]+|\[\]/g) ?? [name], typeof value === 'string' ? value : value.name);
  }
  const json = new Headers(headers);
  json.set('content-type', 'application/json');
  return { body: JSON.stringify(listsIn(row)), headers: json };
}

/** Puts a value at a path, in which `[]` is the next item of a list. */
function place(into: Data, [first = '', ...rest]: readonly string[], value: string): void {
  const name = first === '[]' ? String(Object.keys(into).length) : first;
  if (rest.length === 0) return setMember(into, name, value);
  const inside = Object.hasOwn(into, name) ? into[name] : undefined;
  const members: Data = isData(inside) ? inside : {};
  setMember(into, name, members);
  place(members, rest, value);
}

/** Makes lists of the objects whose members have numbers as names. */
function listsIn(value: unknown): unknown {
  if (!isData(value)) return value;
  const names = Object.keys(value);
  const isList = names.length > 0 && names.every((name, at) => name === String(at));
  if (isList) return names.map((name) => listsIn(value[name]));
  const copy: Data = {};
  for (const name of names) setMember(copy, name, listsIn(value[name]));
  return copy;
}
