/** A line of the list that each row embeds. `q` always starts with the `tag` of its line, which never changes. */
export interface LineRow {
  readonly id?: number;
  readonly tag: string;
  readonly q: string;
}

export type StoryRow = Record<string, unknown> & {
  readonly id: number;
  readonly mark: string;
  readonly version: number;
  readonly lines: readonly LineRow[];
};

/** A request as the server gets it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly headers: Headers;
}

/** The response of the server. */
export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

/** How the server tells the versions of its rows. */
export type Versions = 'etag' | 'field' | 'none';

export interface ServerOptions {
  readonly versions: Versions;
  /** Whether the server gives lines back in another order than it got them. */
  readonly sorts: boolean;
}

/** The fields that users and strangers edit. */
export const FIELDS = ['a', 'b', 'c'] as const;
export type Field = (typeof FIELDS)[number];

/** Whether a stranger has written a value; the user writes `t1`, a stranger `f1`. */
export const isForeign = (value: unknown): value is string => typeof value === 'string' && /(^|:)f\d/.test(value);

/** The values of a row, or of a body, that somebody can have typed. */
export function valuesIn(row: Readonly<Record<string, unknown>>): string[] {
  const lines = (row['lines'] ?? []) as readonly LineRow[];
  return [...FIELDS.map((field) => row[field]), ...lines.map(({ q }) => q)].filter(
    (value): value is string => typeof value === 'string' && value !== '',
  );
}

/**
 * Everything that the user has done and seen, and everything that the server got. Each value of a story is unique, so a value tells who has
 * written it, and when.
 */
export class Oracle {
  readonly findings: Set<string> = new Set();
  /** Values that were on the screen of the user when a save was called. */
  readonly saved: Set<string> = new Set();
  /** Values of strangers that the user has seen on the screen, or in a conflict, by the place of the value. */
  private readonly seen: Map<string, Set<unknown>> = new Map();
  /** The values that the server has had in each place, in their order. */
  readonly served: Map<string, string[]> = new Map();
  private readonly everServed: Set<string> = new Set();
  /**
   * The values that the user has wanted in each place, by tab, the last one at the end, since the tab that stores its save last decides; a place is
   * left out if the user has given the value up.
   */
  readonly wanted: Map<string, Map<object, string[]>> = new Map();
  /** The values that the user has given up in a tab. */
  readonly givenUp: Set<string> = new Set();
  /** The values among them that were saved in another tab. */
  private readonly mayBeSent: Set<string> = new Set();
  /** Tags of lines that the user, or a stranger, has removed. */
  readonly removedLines: Set<string> = new Set();
  readonly takenLines: Set<string> = new Set();
  readonly editedLines: Set<string> = new Set();
  /** Marks of the records that the user has erased, or has given up. */
  readonly erased: Set<string> = new Set();
  /** Marks of rows that may be missing: an erase without a response may have removed them, or their create was dropped. */
  readonly gone: Set<string> = new Set();
  /** Marks whose create was repeated, because the user has decided so. */
  readonly repeated: Set<string> = new Set();

  found(text: string): void {
    this.findings.add(text);
  }

  see(place: string, value: unknown): void {
    this.seen.set(place, (this.seen.get(place) ?? new Set()).add(value));
  }

  hasSeen(place: string, value: unknown): boolean {
    return this.seen.get(place)?.has(value) ?? false;
  }

  type(place: string, value: string, tab: object): void {
    const byTab = this.wanted.get(place) ?? new Map<object, string[]>();
    this.wanted.set(place, byTab.set(tab, [...(byTab.get(tab) ?? []), value]));
  }

  /** A tab is gone: of what its user wanted, only what was stored counts. */
  forget(tab: object, isStored: (value: string) => boolean): void {
    for (const [place, byTab] of this.wanted) {
      const stored = (byTab.get(tab) ?? []).filter(isStored);
      if (stored.length > 0) byTab.set(tab, stored);
      else byTab.delete(tab);
      if (byTab.size === 0) this.wanted.delete(place);
    }
  }

  /** `tab`: the tab in which the user rejects what is not saved there. What was saved in another one may still be sent. */
  giveUp(place: string, tab?: object): void {
    for (const [by, values] of this.wanted.get(place) ?? []) {
      const last = values.at(-1) as string;
      this.givenUp.add(last);
      if (tab && by !== tab && this.saved.has(last)) this.mayBeSent.add(last);
    }
    this.wanted.delete(place);
  }

  /** Notes a row that the server has stored. */
  serve(row: StoryRow): void {
    for (const value of valuesIn(row)) this.everServed.add(value);
    for (const field of FIELDS) this.serveValue(`${row.mark}.${field}`, row[field] as string);
    for (const { tag, q } of row.lines) this.serveValue(`${row.mark}/${tag}`, q);
  }

  private serveValue(place: string, value: string): void {
    const values = this.served.get(place) ?? [];
    if (values.at(-1) !== value) this.served.set(place, [...values, value]);
  }

  /** A body must hold nothing that was only typed, and no temporary id. */
  checkBody(body: Readonly<Record<string, unknown>>, isIssued: (id: unknown) => boolean): void {
    const mark = String(body['mark'] ?? body['id']);
    for (const value of valuesIn(body))
      if (!this.saved.has(value) && !this.everServed.has(value))
        this.found(`unasked: the server got ${value} of ${mark}, which nobody has saved`);
    for (const name of ['id', 'parentId'])
      if (body[name] !== undefined && body[name] !== null && !isIssued(body[name]))
        this.found(`temporary: the server got ${name} ${String(body[name])} of ${mark}`);
    for (const { id, tag } of (body['lines'] ?? []) as readonly LineRow[])
      if (id !== undefined && !isIssued(id)) this.found(`temporary: the server got the id ${id} of line ${tag}`);
  }

  /** Nothing that others have saved, and that the user has not seen, is replaced. `body`: the members that the update replaces. */
  checkReplaced(row: StoryRow, body: Readonly<Record<string, unknown>>): void {
    const { mark } = row;
    for (const field of FIELDS) {
      const place = `${mark}.${field}`;
      if (field in body && isForeign(row[field]) && body[field] !== row[field] && !this.hasSeen(place, row[field]))
        this.found(`replaced: ${place}: ${row[field]} of a stranger became ${String(body[field])}`);
    }
    const sent = body['lines'] as readonly LineRow[] | undefined;
    if (!sent) return;
    for (const line of row.lines) {
      const same = sent.find(({ id, tag }) => id === line.id || (id === undefined && tag === line.tag));
      const place = `${mark}/${line.tag}`;
      if (!same && !this.removedLines.has(line.tag)) this.found(`replaced: ${place} was removed from the list`);
      if (same && isForeign(line.q) && same.q !== line.q && !this.hasSeen(place, line.q))
        this.found(`replaced: ${place}: ${line.q} of a stranger became ${same.q}`);
    }
    // A line without an id is a new one for the user, who cannot know that it was stored and removed meanwhile.
    for (const { id, tag } of sent)
      if (
        id !== undefined &&
        this.takenLines.has(tag) &&
        !this.editedLines.has(tag) &&
        !row.lines.some((line) => line.tag === tag)
      )
        this.found(`replaced: ${mark}/${tag} is back, although a stranger has removed it`);
  }

  /** The server must have at the end the last value of the user, or a later one of a stranger. */
  checkEnd(rows: readonly StoryRow[], tabs: number): void {
    const byMark = new Map<string, StoryRow[]>();
    for (const row of rows) byMark.set(row.mark, [...(byMark.get(row.mark) ?? []), row]);
    for (const [mark, found] of byMark)
      if (found.length > 1 && !this.repeated.has(mark))
        this.found(`doubled: ${mark} is on the server ${found.length} times`);
    for (const [place, byTab] of this.wanted) {
      const [mark = '', field = ''] = place.split('.');
      const row = byMark.get(mark)?.[0];
      if (this.erased.has(mark)) continue;
      if (!row) {
        if (this.gone.has(mark)) continue;
        this.found(`lost: ${mark} is not on the server`);
        continue;
      }
      const now = row[field];
      const history = this.served.get(place) ?? [];
      const values = [...byTab.values()].map((each) => each.at(-1) as string);
      const isLater = (value: string) =>
        isForeign(now) && history.includes(value) && history.lastIndexOf(value) < history.lastIndexOf(now);
      if (!this.mayBeSent.has(now as string) && !values.some((value) => now === value || isLater(value)))
        this.found(
          `lost: ${place} is ${String(now)}, and the user wanted ${values.join(' or ')}; the server had ${history.join(', ')}`,
        );
    }
    // A save in another tab cancels an erase.
    for (const mark of this.erased)
      if (byMark.has(mark) && tabs === 1) this.found(`kept: ${mark} was erased, and is still on the server`);
  }
}

/** A REST server with versions and idempotency keys. It tells the oracle what it gets. */
export class StoryServer {
  readonly rows: Map<number, StoryRow> = new Map();
  private readonly answers: Map<string, { readonly text: string; readonly answer: Answer }> = new Map();
  private lastId = 0;

  constructor(
    private readonly options: ServerOptions,
    private readonly oracle: Oracle,
  ) {}

  rowOf(mark: string): StoryRow | undefined {
    return [...this.rows.values()].find((row) => row.mark === mark);
  }

  add(row: Readonly<Record<string, unknown>>): StoryRow {
    return this.put(this.nextId(), row);
  }

  /** Stores a row under the next version, and gives ids to its new lines. */
  put(id: number, row: Readonly<Record<string, unknown>>): StoryRow {
    const lines = ((row['lines'] ?? []) as readonly LineRow[]).map((line) => ({
      ...line,
      id: line.id ?? this.nextId(),
    }));
    if (this.options.sorts) lines.sort((a, b) => b.id - a.id);
    const version = (this.rows.get(id)?.version ?? 0) + 1;
    const now = { ...row, lines, id, version } as unknown as StoryRow;
    this.rows.set(id, now);
    this.oracle.serve(now);
    // Nobody can know that a line is the same that was sent without an answer, and that a stranger has changed since.
    const tags = lines
      .map(({ tag }) => tag)
      .filter((tag) => !this.oracle.served.get(`${now.mark}/${tag}`)?.some(isForeign));
    if (new Set(tags).size < tags.length) this.oracle.found(`doubled: ${now.mark} has the lines ${tags.join(', ')}`);
    for (const { tag, q } of lines)
      if (!q.startsWith(`${tag}:`)) this.oracle.found(`mixed: line ${tag} has the value ${q}`);
    return now;
  }

  answer({ method, path, text, headers }: Asked): Answer {
    const [, , tail] = path.split('/');
    const id = Number(tail);
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[]);
    if (method === 'GET' && !tail) return { status: 200, json: [...this.rows.values()].map((row) => this.told(row)) };
    if (tail && !this.isIssued(id)) this.oracle.found(`temporary: ${method} ${path}`);
    if (method === 'POST')
      return this.once(headers.get('Idempotency-Key'), text, () =>
        Array.isArray(body) ? this.answerEntries(method, body) : this.create(body ?? {}),
      );
    if (Array.isArray(body)) return this.answerEntries(method, body);
    const row = this.rows.get(id);
    if (!row) return { status: 404, json: { title: 'gone' } };
    if (method === 'GET') return this.whole(row);
    const seen = this.options.versions === 'field' ? body?.['version'] : headers.get('If-Match');
    return this.update(method, row, body as Record<string, unknown> | undefined, seen);
  }

  /** Answers a request for several records with a status for each. */
  private answerEntries(method: string, bodies: readonly Record<string, unknown>[]): Answer {
    const entries = bodies.map((body) => {
      if (method === 'POST') return this.create(body);
      const row = this.rows.get(body['id'] as number);
      return row ? this.update(method, row, body, body['version'], true) : { status: 404, json: { title: 'gone' } };
    });
    return { status: 207, json: entries.map(({ status, json }) => ({ status, body: json })) };
  }

  /** Answers a repeated create as its first attempt. */
  private once(key: string | null, text: string, run: () => Answer): Answer {
    const known = key === null ? undefined : this.answers.get(key);
    if (known)
      return known.text === text ? known.answer : { status: 422, json: { title: 'another body under this key' } };
    const answer = run();
    if (key !== null) this.answers.set(key, { text, answer });
    return answer;
  }

  private update(
    method: string,
    row: StoryRow,
    body: Record<string, unknown> | undefined,
    seen: unknown,
    isEntry: boolean = false,
  ): Answer {
    const { versions } = this.options;
    if (seen !== null && seen !== undefined && seen !== this.versionOf(row) && versions !== 'none')
      return { status: versions === 'field' ? 409 : 412, json: { title: 'changed' } };
    // Nothing is promised if the server has no versions: a request replaces what nobody has read. Another limit, of docs/guide/conflicts.md:
    // a request for several records carries no ETag, and their rows are not read before.
    if (body && method !== 'DELETE' && versions !== 'none' && !isEntry) this.oracle.checkReplaced(row, body);
    return this.write(method, row, body);
  }

  private write(method: string, row: StoryRow, body: Record<string, unknown> | undefined): Answer {
    const { oracle } = this;
    if (method === 'DELETE') {
      this.rows.delete(row.id);
      return { status: 204 };
    }
    const values = { ...body };
    oracle.checkBody(values, (id) => this.isIssued(id));
    return this.whole(this.put(row.id, method === 'PUT' ? { ...values, mark: row.mark } : { ...row, ...values }));
  }

  private create(body: Record<string, unknown>): Answer {
    this.oracle.checkBody({ ...body, id: undefined }, (id) => this.isIssued(id));
    return { ...this.whole(this.add(body)), status: 201 };
  }

  private whole(row: StoryRow): Answer {
    return {
      status: 200,
      json: this.told(row),
      headers: this.options.versions === 'etag' ? { ETag: String(this.versionOf(row)) } : {},
    };
  }

  /** A row as the server tells it. */
  private told(row: StoryRow): object {
    const { version, ...values } = row;
    return this.options.versions === 'field' ? row : values;
  }

  private versionOf({ id, version }: StoryRow): unknown {
    return this.options.versions === 'field' ? version : `"${id}-${version}"`;
  }

  private isIssued(id: unknown): boolean {
    return Number.isInteger(id) && (id as number) > 0 && (id as number) <= this.lastId;
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}
