import { canonicalText } from './canonical-text.js';
import { type Data, type DataPath, getMember, isData, isObject, setMember } from './data-path.js';
import { isSame } from './values.js';

/** How the values of one place are merged. Without a shape, objects are merged by their members, and lists by their lines. */
export interface Shape {
  /** Whether values are replaced as a whole. */
  readonly whole?: boolean;
  /** Whether two values that are written differently mean the same, such as two notations of one instant. */
  readonly isSame?: (a: unknown, b: unknown) => boolean;
  /** The shape of a member of an object. */
  readonly member?: (name: string) => Shape | undefined;
  /** The shape of the lines of a list. */
  readonly item?: Shape;
  /** The id of a line, by which a list finds it again; undefined: it has none. */
  readonly idOf?: (line: Data) => string | undefined;
  /** A line that is a row without its id: a row that lacks a member says nothing about it. */
  readonly withoutId?: (line: Data) => Data;
}

/** A place that both sides have changed to different values. Undefined: the side has removed it, or never had it. */
export interface MergeConflict {
  /** In the merged value; a line that `mine` has removed has the place that it has in `theirs`. */
  readonly path: DataPath;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** How a merge is made. */
export interface MergeOptions {
  readonly shape?: Shape | undefined;
  /** Whether `theirs` may have what `mine` has added, because it was sent before: then equal new lines are one line. */
  readonly isRepeat?: boolean | undefined;
  /**
   * Whether `mine` is written over `theirs` as it is: then each value of `theirs` that differs from both others is a conflict, and the result is
   * `theirs` but for what is decided.
   */
  readonly isWhole?: boolean | undefined;
  /** Whether lines without ids may be found by their places. @default true */
  readonly byPlace?: boolean | undefined;
  /** Called for each conflict: gives the value to take. By default that of `mine`. */
  readonly decide?: ((conflict: MergeConflict) => unknown) | undefined;
}

/** How many pairs of lines are compared to find a line of which only a part is known; the lines that are left are found by their places. */
const MAX_COMPARED = 10_000;

/**
 * Merges what two sides have made of a value: `base` is the value that both have started from. What one side has changed is taken from it, and
 * what nobody has changed from `theirs`; undefined is a missing value. A list finds its lines by their ids, then by their contents, then,
 * between lines that have kept their order, by their places. The order is that of `theirs`, in which the lines that `mine` has added or moved
 * stand behind the line that they follow there.
 */
export function merge3(base: unknown, mine: unknown, theirs: unknown, options: MergeOptions = {}): unknown {
  return mergeAt({ base, mine, theirs }, { ...options, path: [] });
}

/** Merges two lists line by line, and tells where each line comes from. */
export function mergeLines(base: List, mine: List, theirs: List, options: MergeOptions): readonly MergedLine[] {
  return mergeLists(base, mine, theirs, { ...options, path: [] });
}

interface Sides {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

interface Place extends MergeOptions {
  readonly path: DataPath;
}

function mergeAt(sides: Sides, place: Place): unknown {
  const { base, mine, theirs } = sides;
  const { shape, path, isWhole, decide } = place;
  if ((!isWhole && isAlike(base, mine, shape)) || isAlike(mine, theirs, shape)) return theirs;
  if (isAlike(base, theirs, shape)) return isWhole ? theirs : mine;
  if (!shape?.whole) {
    if (isData(mine) && isData(theirs) && (base === undefined || isData(base))) return mergeMembers(sides, place);
    if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs))
      return mergeLists(base, mine, theirs, place).map(({ value }) => value);
  }
  return decide ? decide({ path, base, mine, theirs }) : mine;
}

function mergeMembers({ base, mine, theirs }: Sides, { shape, path, ...rest }: Place): Data {
  const merged: Data = {};
  for (const name of namesOf(theirs as Data, mine as Data)) {
    const sides = { base: getMember(base, name), mine: getMember(mine, name), theirs: getMember(theirs, name) };
    const value = mergeAt(sides, { ...rest, shape: shape?.member?.(name), path: [...path, name] });
    if (value !== undefined) setMember(merged, name, value);
  }
  return merged;
}

/**
 * Whether two values are equal, as far as their shape tells: a missing member is equal to `undefined`. With `isPart`, a row that lacks a member
 * says nothing about it.
 */
function isAlike(a: unknown, b: unknown, shape: Shape | undefined, isPart: boolean = false): boolean {
  if (isSame(a, b) || shape?.isSame?.(a, b)) return true;
  if (shape?.whole) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, at) => isAlike(each, b[at], shape?.item, isPart));
  if (!isData(a) || !isData(b)) return false;
  return namesOf(a, b).every((name) => {
    const [one, other] = [getMember(a, name), getMember(b, name)];
    const isLacking = isPart && (one === undefined || other === undefined);
    return isLacking || isAlike(one, other, shape?.member?.(name), isPart);
  });
}

// ── Lists ──

/** The lines of a list, in their order. */
export type List = readonly unknown[];

/** The places of a line in three lists. */
interface Line {
  base?: number;
  mine?: number;
  theirs?: number;
}

/** A line of a merged list, with its places in the lists that were merged. */
export interface MergedLine extends Readonly<Line> {
  readonly value: unknown;
}

function mergeLists(base: List, mine: List, theirs: List, { shape, path, ...rest }: Place): MergedLine[] {
  const merged: MergedLine[] = [];
  const plain = (line: unknown) => withoutId(line, shape?.item);
  for (const line of linesOf(base, mine, theirs, shape?.item, rest)) {
    const at = (list: List, place: number | undefined) => (place === undefined ? undefined : list[place]);
    const sides = { base: at(base, line.base), mine: at(mine, line.mine), theirs: at(theirs, line.theirs) };
    // A row that `mine` has removed goes, unless `theirs` says something else of it than `base` did: more members, or another id, are no edit.
    const isRemoved = line.mine === undefined && shape?.item?.withoutId !== undefined;
    const isUnchanged = isRemoved && holdsContent(plain(sides.base), plain(sides.theirs), shape.item);
    if (isUnchanged && !rest.isWhole) continue;
    const place = line.mine === undefined ? (line.theirs as number) : merged.length;
    const value = isUnchanged ? sides.theirs : mergeAt(sides, { ...rest, shape: shape?.item, path: [...path, place] });
    if (value !== undefined) merged.push({ ...line, value });
  }
  return merged;
}

/** The lines of three lists in the order of the merged list, also those that one side has removed. */
function linesOf(
  base: List,
  mine: List,
  theirs: List,
  shape: Shape | undefined,
  { isRepeat, isWhole, byPlace = true }: MergeOptions,
): Line[] {
  const known = base.map((_, place): Line => ({ base: place }));
  const linesIn = (list: List) => {
    const pairs = pairLines(base, list, shape, byPlace);
    return list.map((_, place) => known[pairs.get(place) ?? -1] ?? {});
  };
  const [mineLines, theirLines] = [linesIn(mine), linesIn(theirs)];
  const isAdded = ({ base: place }: Line) => place === undefined;
  const hasNoId = ({ base: place }: Line) => idOfLine(base[place as number], shape) === undefined;
  // Two people may add equal lines, but not equal texts and numbers, such as tags. A line that has got its id since it was edited may be edited
  // equally in `theirs`; so may any line if it was sent before.
  const isSought = (line: Line, row: unknown) =>
    isAdded(line) ? isRepeat || !isObject(row) : (isRepeat || hasNoId(line)) && !theirLines.includes(line);
  const own = [...mineLines.keys()].filter((place) => isSought(mineLines[place] as Line, mine[place]));
  const others = [...theirLines.keys()].filter((place) => isAdded(theirLines[place] as Line));
  const [added, stored] = [own.map((place) => mine[place]), others.map((place) => theirs[place])];
  for (const [other, each] of pairLines(added, stored, shape, false))
    theirLines[others[other] as number] = mineLines[own[each] as number] as Line;
  for (const [place, line] of mineLines.entries()) line.mine = place;
  for (const [place, line] of theirLines.entries()) line.theirs = place;
  const moved = movedLines(isWhole ? [] : mineLines.filter((line) => line.base !== undefined));
  // The lines that stand behind each line of `theirs`, and before all of them.
  const followers = new Map<Line | undefined, Line[]>([[undefined, []]]);
  for (const line of theirLines) if (!moved.has(line)) followers.set(line, []);
  let before: Line | undefined;
  for (const line of mineLines) {
    if (followers.has(line)) before = line;
    else followers.get(before)?.push(line);
  }
  return [...followers].flatMap(([line, behind]) => (line ? [line, ...behind] : behind));
}

/** The fewest lines that were moved, if all others have kept their order. */
function movedLines(lines: readonly Line[]): ReadonlySet<Line> {
  const placeOf = (at: number) => (lines[at] as Line).base as number;
  // The last line of the best chain of each length, and the line before each line in its chain.
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const at of lines.keys()) {
    let [length, most] = [0, ends.length];
    while (length < most) {
      const middle = (length + most) >> 1;
      if (placeOf(ends[middle] as number) < placeOf(at)) length = middle + 1;
      else most = middle;
    }
    previous[at] = ends[length - 1];
    ends[length] = at;
  }
  const moved = new Set(lines);
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) moved.delete(lines[at] as Line);
  return moved;
}

/** The places of lines in a first list by their places in a second one. */
type Pairs = Map<number, number>;

/** Finds the lines of two lists that are the same line. */
export function pairLines(first: List, second: List, shape: Shape | undefined, byPlace: boolean): Pairs {
  const pairs: Pairs = new Map();
  const [left, right] = [new Set(first.keys()), new Set(second.keys())];
  const take = (a: number, b: number) => {
    pairs.set(b, a);
    left.delete(a);
    right.delete(b);
  };
  // Only of the lines that are left: the texts of many rows take time.
  const textsOf = (textOf: (line: unknown) => string | undefined) => {
    const texts: [(string | undefined)[], (string | undefined)[]] = [[], []];
    for (const a of left) texts[0][a] = textOf(first[a]);
    for (const b of right) texts[1][b] = textOf(second[b]);
    return texts;
  };
  const takeEqual = ([texts, others]: ReturnType<typeof textsOf>) => {
    const places = new Map<string, number[]>();
    for (const b of right) {
      const text = others[b];
      if (text !== undefined && !places.get(text)?.push(b)) places.set(text, [b]);
    }
    for (const a of left) {
      const b = places.get(texts[a] ?? '')?.shift();
      if (b !== undefined) take(a, b);
    }
  };
  const ids = textsOf((line) => idOfLine(line, shape));
  takeEqual(ids);
  // Some servers make all lines of a list anew with each save.
  const isAnew = pairs.size === 0 && ids.every((list) => list.some((id) => id !== undefined));
  const inside = (line: unknown) => (isAnew ? withoutId(line, shape) : line);
  const contents = textsOf((line) => canonicalText(inside(line), String));
  // Equal lines at both ends are paired first, so that of several lines with one content those are paired that nobody has moved.
  for (const isFromEnd of [false, true]) {
    const [firsts, seconds] = [[...left], [...right]];
    if (isFromEnd) for (const each of [firsts, seconds]) each.reverse();
    const isOther = (a: number, n: number) => contents[0][a] !== contents[1][seconds[n] ?? -1];
    const end = firsts.findIndex(isOther);
    for (const [n, a] of firsts.slice(0, end < 0 ? firsts.length : end).entries()) take(a, seconds[n] as number);
  }
  takeEqual(contents);
  let compared = 0;
  for (const a of left)
    for (const b of right) {
      compared += 1;
      if (compared > MAX_COMPARED) break;
      if (!holdsContent(inside(first[a]), inside(second[b]), shape)) continue;
      take(a, b);
      break;
    }
  if (byPlace) pairPlaces(pairs, first.length, second.length, (place) => ids[0][place] !== undefined);
  return pairs;
}

/**
 * Pairs lines between two pairs by their places, if no pairs have moved, and if no lines were added or removed there. A line without an id may
 * have one by now, but none loses its id.
 */
function pairPlaces(pairs: Pairs, firstCount: number, secondCount: number, hasId: (first: number) => boolean): void {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  if (sorted.some(([, place], at) => place < (sorted[at - 1]?.[1] ?? 0))) return;
  let [startA, startB] = [-1, -1];
  for (const [endB, endA] of [...sorted, [secondCount, firstCount] as const]) {
    const count = endA - startA === endB - startB ? endA - startA : 0;
    for (let n = 1; n < count; n += 1) if (!hasId(startA + n)) pairs.set(startB + n, startA + n);
    [startA, startB] = [endA, endB];
  }
}

function idOfLine(line: unknown, shape: Shape | undefined): string | undefined {
  return isData(line) ? shape?.idOf?.(line) : undefined;
}

function withoutId(line: unknown, shape: Shape | undefined): unknown {
  return isData(line) ? (shape?.withoutId?.(line) ?? line) : line;
}

/** Whether two lines are equal in the members that both have: the server may add members, and leave some out. */
function holdsContent(a: unknown, b: unknown, shape: Shape | undefined): boolean {
  const isShared = (name: string) => getMember(a, name) !== undefined && getMember(b, name) !== undefined;
  return isData(a) && Object.keys(a).some(isShared) && isAlike(a, b, shape, true);
}

function namesOf(...rows: readonly Data[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}
