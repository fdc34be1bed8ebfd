import type { Findings } from '../findings.js';
import { canonical, canonicalNumber, type Members } from './exact-json.js';
import type { KindName } from './kinds.js';

/** Writes that were requested for one row. */
interface Wish {
  /** Whether its erase was requested, or may be: the row is part of a sync that is rolled back. */
  erase: boolean;
  /** The requested values, by edited path, each in normal form. */
  readonly values: Map<string, Set<string>>;
}

/** Compares the commits of the server with the user's requests. */
export class Ledger {
  private readonly wishes = new Map<string, Wish>();
  /** Number of existing rows, by reference. */
  private readonly there = new Map<string, number>();

  constructor(readonly findings: Findings) {}

  // ── The user's requests ──

  wantCreate(ref: string): void {
    this.wishes.set(ref, { erase: false, values: new Map() });
  }

  /** `text`: the value as JSON. */
  wantValue(ref: string, path: string, text: string): void {
    const { values } = this.wishes.get(ref) as Wish;
    values.set(path, (values.get(path) ?? new Set()).add(formOf(path, text)));
  }

  wantErase(ref: string, wanted = true): void {
    (this.wishes.get(ref) as Wish).erase = wanted;
  }

  // ── The server's commits ──

  inserted(kind: KindName, sent: Members, after: Members): void {
    const ref = refOf(sent);
    const wish = this.wishes.get(ref);
    if (!wish) return void this.findings.stray.push(`${kind}: a row of '${ref}' was made, which nobody asked for`);
    const count = this.count(ref, 1);
    if (count > 1) this.findings.doubled.push(`${kind}: ${ref} was created again, and is there ${count} times`);
    for (const [member, text] of Object.entries(sent)) {
      // A member that was edited by its path, and undone, is created again as a whole.
      if (member === 'j' && isRow(text) && this.isKnown(wish, 'j.name', JSON.stringify(nameIn(text) ?? null))) continue;
      // A field that was never set may be sent as null.
      if (member !== 'ref' && text !== 'null') this.compareMember(`${kind} ${ref}`, wish, member, undefined, text);
    }
    // A rollback may write an earlier value of the server back, if the field was edited.
    for (const [member, text] of Object.entries(after)) this.remember(wish, member, text);
  }

  updated(kind: KindName, before: Members, sent: Members, after: Members): void {
    const ref = refOf(before);
    if (sent['ref'] !== undefined && refOf(sent) !== ref)
      return void this.findings.stray.push(`${kind}: the row of ${ref} was written over with that of ${refOf(sent)}`);
    const wish = this.wishes.get(ref);
    for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [before[member], after[member]];
      if (old !== undefined && now !== undefined && canonical(old) === canonical(now)) continue;
      this.compareMember(`${kind} ${ref}`, wish, member, old, now);
    }
  }

  deleted(kind: KindName, row: Members): void {
    const ref = refOf(row);
    this.count(ref, -1);
    if (!this.wishes.get(ref)?.erase) this.findings.stray.push(`${kind}: ${ref} was deleted, which nobody asked for`);
  }

  /** A request that must never be sent. */
  strayed(what: string): void {
    this.findings.stray.push(what);
  }

  private count(ref: string, by: number): number {
    const count = (this.there.get(ref) ?? 0) + by;
    this.there.set(ref, count);
    return count;
  }

  /** Remembers the server's values of a new row: a rollback may write them back. */
  private remember({ values }: Wish, member: string, text: string): void {
    const name = member === 'j' && isRow(text);
    const path = name ? 'j.name' : member;
    values.set(`was ${path}`, new Set([formOf(path, name ? JSON.stringify(nameIn(text) ?? null) : text)]));
  }

  /** Whether a value was requested, or is the first value of an edited field. */
  private isKnown(wish: Wish | undefined, path: string, text: string): boolean {
    const wanted = wish?.values.get(path);
    const form = formOf(path, text);
    return Boolean(wanted?.has(form) || (wanted && wish?.values.get(`was ${path}`)?.has(form)));
  }

  /** Whether the present value of a member is allowed. */
  private compareMember(
    row: string,
    wish: Wish | undefined,
    member: string,
    old: string | undefined,
    now: string | undefined,
  ): void {
    const what = `${row}: ${member} became ${now}, it was ${old}`;
    if (member === 'j' && old !== undefined && now !== undefined && isRow(old) && isRow(now)) {
      const rest = canonical(withoutName(old)) === canonical(withoutName(now));
      const name = JSON.stringify(nameIn(now) ?? null);
      const known = nameIn(old) === nameIn(now) || this.isKnown(wish, 'j.name', name);
      if (!rest || !known) this.findings.unasked.push(what);
    } else if (now === undefined || !this.isKnown(wish, member, now)) this.findings.unasked.push(what);
  }
}

/** One form for all texts of a value. A `bigint` or `decimal` may be sent as a number or as a text. */
function formOf(path: string, text: string): string {
  if (path !== 'big' && path !== 'price') return canonical(text);
  return canonicalNumber(text.replaceAll('"', ''));
}

export function refOf(row: Members): string {
  return row['ref'] === undefined ? 'no reference' : String(JSON.parse(row['ref']));
}

function isRow(text: string): boolean {
  return text.startsWith('{');
}

function nameIn(text: string): unknown {
  return (JSON.parse(text) as { name?: unknown }).name;
}

/** The text of an object whose member `name` is always the same. */
function withoutName(text: string): string {
  return text.replace(/"name":"(?:[^"\\]|\\.)*"/, '"name":""');
}
