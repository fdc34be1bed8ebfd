import type { RecordModel, WireField } from './operation-record.js';

type Path = readonly PropertyKey[];
/** Whether a name in the server's path is that of a field's path. */
type Comparison = (name: string, mapped: string) => boolean;

/** Names of the body, which some servers write before the names of its members. */
const BODY_NAMES = ['body', 'requestBody'];

const isSame: Comparison = (name, mapped) => name === mapped;
// ASP.NET names members as its classes do (`Name`), and sends them in lower case (`name`).
const isSameInAnyCase: Comparison = (name, mapped) => name.toLowerCase() === mapped.toLowerCase();

/**
 * Translates the server's path to a path that begins with a field. The server may put the wrapper of the body (`root`), or another
 * `wrapper`, such as the name of the resource, before it.
 */
export function ownPath(path: Path, root: Path, model: RecordModel | undefined, wrapper?: string): Path {
  const fields = model?.fields ?? [];
  const inside = path.length > 0 && startsWith(path, root, isSame) ? path.slice(root.length) : path;
  const isWrapped = [wrapper, ...BODY_NAMES].includes(path[0] as string | undefined) && path.length > 1;
  const candidates = [inside, path, ...(isWrapped ? [path.slice(1)] : [])];
  for (const compare of [isSame, isSameInAnyCase]) {
    const found = candidates.map((each) => fieldPath(each, fields, compare)).find(Boolean);
    if (found) return found;
  }
  return inside;
}

/** The path from the field that is mapped to the server's path, or else to the nearest enclosing member; undefined if no field is. */
function fieldPath(path: Path, fields: readonly WireField[], compare: Comparison): Path | undefined {
  let best: WireField | undefined;
  let most = 0;
  for (const field of fields) {
    const { path: mapped } = field;
    if (!mapped || mapped.length <= most || !startsWith(path, mapped, compare)) continue;
    most = mapped.length;
    best = field;
  }
  return best && [best.name, ...pathInside(path.slice(most), best.embedding?.fields, compare)];
}

/** The path inside the value of a field: inside embedded records, members have the names of their fields too. */
function pathInside(path: Path, fields: readonly WireField[] | undefined, compare: Comparison): Path {
  if (!fields || path.length === 0) return path;
  const [first, ...rest] = path;
  if (/^\d{1,9}$/.test(String(first))) return [Number(first), ...pathInside(rest, fields, compare)];
  return fieldPath(path, fields, compare) ?? path;
}

function startsWith(path: Path, start: Path, compare: Comparison): boolean {
  return path.length >= start.length && start.every((each, i) => compare(String(path[i]), String(each)));
}
