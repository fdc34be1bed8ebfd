import type { RecordModel } from './operation-record.js';

type Path = readonly PropertyKey[];

/** Translates the server's path, with or without the wrapper of the body, to a path that begins with a field. */
export function ownPath(path: Path, root: Path, model: RecordModel | undefined): Path {
  if (!startsWith(path, root)) return fieldPath(path, model) ?? path;
  const inside = path.slice(root.length);
  return fieldPath(inside, model) ?? fieldPath(path, model) ?? inside;
}

/** The path from the field that is mapped to the server's path, or else to the nearest enclosing member; undefined if no field is. */
function fieldPath(path: Path, model: RecordModel | undefined): Path | undefined {
  let own: Path | undefined;
  let most = 0;
  for (const { name, path: mapped } of model?.fields ?? []) {
    if (!mapped || mapped.length <= most || !startsWith(path, mapped)) continue;
    most = mapped.length;
    own = [name, ...path.slice(most)];
  }
  return own;
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((each, i) => path.length > i && String(path[i]) === String(each));
}
