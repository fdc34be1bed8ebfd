import fc from 'fast-check';
import type { LoadOptions, Model } from 'repose';
import { describe, expect, test } from 'vitest';
import type { PageNumbers } from '../../src/operation/query-parts.js';
import {
  beginPaging,
  nextLoad,
  type Paging,
  pageNumbers,
  pagingAfterAnswer,
  pagingAfterFirstRows,
  restartPaging,
} from '../../src/store/paging.js';

type Options = LoadOptions<Model>;
type Answer = Parameters<typeof pagingAfterAnswer<Model>>[1];

/** The parts of a response that a server may send. */
interface Sent {
  readonly rows: readonly number[];
  readonly total?: number | undefined;
  readonly next?: Answer['next'];
}

/** A store without records, which counts ids. */
class Reading {
  paging: Paging<Model> = beginPaging<Model>({}, undefined);
  readonly ids: Set<number> = new Set();
  /** The ids of all rows, in the order in which they were first sent. */
  readonly sent: number[] = [];
  requests = 0;

  constructor(
    private readonly pageSize: number,
    private readonly answer: (numbers: PageNumbers, options: Options) => Sent,
  ) {}

  load(options: Options): void {
    const numbers = pageNumbers(options, this.pageSize);
    const { rows, total, next } = this.answer(numbers, options);
    this.requests += 1;
    if (!options.addRecords) this.ids.clear();
    const together = () => new Set([...this.ids, ...rows]).size;
    this.paging = pagingAfterAnswer(this.paging, {
      ...{ numbers, options, total, next, count: rows.length, isComplete: false, knownTotal: 0 },
      rows: { countTogether: together, hasNewRow: () => together() > this.ids.size },
    });
    for (const id of rows) this.ids.add(id);
    this.sent.push(...rows);
  }

  /** Loads to the end; returns false if there is none. */
  readAll(most: number): boolean {
    while (this.paging.next && this.requests < most) this.load(this.paging.next);
    return this.paging.next === undefined;
  }
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const range = (all: readonly number[], { start = 0, limit = all.length }: PageNumbers) =>
  all.slice(start, start + limit);
const size = fc.nat({ max: 40 });
const limit = fc.integer({ min: 1, max: 9 });

describe('Paging over a collection that does not change', () => {
  test('reads each row once, in order, and then knows the total', () => {
    fc.assert(
      fc.property(size, limit, fc.boolean(), (count, pageSize, counts) => {
        const all = ids(count);
        const reading = new Reading(pageSize, (numbers) => ({
          rows: range(all, numbers),
          total: counts ? count : undefined,
        }));
        expect(reading.readAll(count + 2)).toBe(true);
        expect(reading.sent).toEqual(all);
        const { total, complete, currentPage } = reading.paging;
        expect([total, complete]).toEqual([count, true]);
        expect(currentPage).toBe(reading.requests);
        // A server without a total is asked once more if the last page was full, or the only one: it may send fewer rows than asked for.
        const isOpen = count > 0 && (count % pageSize === 0 || count < pageSize);
        const further = !counts && isOpen ? 1 : 0;
        expect(reading.requests).toBe(Math.max(Math.ceil(count / pageSize), 1) + further);
      }),
    );
  });

  test('follows next links until a response has none', () => {
    fc.assert(
      fc.property(size, limit, fc.boolean(), (count, pageSize, counts) => {
        const all = ids(count);
        const reading = new Reading(pageSize, (_, { next }) => {
          const at = Number(next?.params?.['at'] ?? 0);
          const rows = all.slice(at, at + pageSize);
          const behind = at + rows.length;
          return { rows, total: counts ? count : undefined, next: behind < count ? { params: { at: behind } } : null };
        });
        expect(reading.readAll(count + 2)).toBe(true);
        expect(reading.sent).toEqual(all);
        expect([reading.paging.total, reading.paging.complete]).toEqual([count, true]);
      }),
    );
  });

  test('ends with a server that returns all rows for every request', () => {
    fc.assert(
      fc.property(size, limit, fc.boolean(), (count, pageSize, counts) => {
        const reading = new Reading(pageSize, () => ({ rows: ids(count), total: counts ? count : undefined }));
        expect(reading.readAll(5)).toBe(true);
        expect(reading.requests).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('ends with a server that always returns the same token', () => {
    fc.assert(
      fc.property(size, limit, (count, pageSize) => {
        const next = { params: { token: 'same' } };
        const reading = new Reading(pageSize, () => ({ rows: ids(count), next }));
        expect(reading.readAll(5)).toBe(true);
        expect(reading.requests).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('Paging over arbitrary answers', () => {
  const anyAnswer = fc.record({
    rows: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 9 }),
    total: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
    next: fc.constantFrom(undefined, null, { params: { at: 1 } }, { params: { at: 2 } }),
  });
  const anyOptions = fc.record(
    {
      page: fc.integer({ min: 1, max: 5 }),
      start: fc.nat({ max: 40 }),
      limit: fc.nat({ max: 9 }),
      addRecords: fc.boolean(),
      next: fc.constantFrom({ params: { at: 1 } }, { params: { at: 2 } }),
    },
    { requiredKeys: [] },
  );
  const step = fc.record({ options: anyOptions, answer: anyAnswer, goesOn: fc.boolean() });

  test('never has a total below the rows that were sent', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), limit, (steps, pageSize) => {
        let answer: Sent = { rows: [] };
        const reading = new Reading(pageSize, () => answer);
        for (const each of steps) {
          answer = each.answer;
          reading.load((each.goesOn ? reading.paging.next : undefined) ?? each.options);
          const { total, complete } = reading.paging;
          if (total !== undefined) expect(total).toBeGreaterThanOrEqual(answer.rows.length);
          if (complete) expect(reading.ids.size).toBeGreaterThanOrEqual(total as number);
        }
      }),
    );
  });

  test('requests nothing after a response without a next page', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), anyOptions, limit, (steps, options, pageSize) => {
        let answer: Sent = { rows: [] };
        const reading = new Reading(pageSize, () => answer);
        for (const each of steps) {
          answer = each.answer;
          reading.load(each.options);
        }
        answer = { rows: [1], next: null };
        reading.load(options);
        expect(reading.paging.next).toBeUndefined();
      }),
    );
  });

  test('creates a new object for each response, and leaves the old one unchanged', () => {
    fc.assert(
      fc.property(step, step, limit, (first, second, pageSize) => {
        let { answer } = first;
        const reading = new Reading(pageSize, () => answer);
        reading.load(first.options);
        const { paging } = reading;
        const before = JSON.stringify(paging);
        answer = second.answer;
        reading.load(second.options);
        restartPaging(pagingAfterFirstRows(reading.paging, { numbers: {}, options: {} }));
        expect(JSON.stringify(paging)).toBe(before);
      }),
    );
  });
});

describe('Paging after erases', () => {
  test('goes back far enough to leave out no row', () => {
    fc.assert(
      fc.property(size, limit, fc.nat({ max: 12 }), fc.nat({ max: 40 }), (count, pageSize, erased, after) => {
        const all = ids(count);
        const reading = new Reading(pageSize, (numbers) => ({ rows: range(all, numbers), total: all.length }));
        for (let i = 0; i <= after && reading.paging.next; i += 1) reading.load(reading.paging.next);
        const gone = [...reading.ids].slice(0, erased);
        for (const id of gone) {
          reading.ids.delete(id);
          all.splice(all.indexOf(id), 1);
        }
        const next = nextLoad(reading.paging, gone.length);
        if (next) reading.load(next);
        reading.readAll(200);
        expect([...reading.ids].sort((a, b) => a - b)).toEqual(all);
      }),
    );
  });

  test('never requests a page before the first', () => {
    fc.assert(
      fc.property(limit, fc.nat({ max: 100 }), (pageSize, erased) => {
        const reading = new Reading(pageSize, (numbers) => ({ rows: range(ids(40), numbers) }));
        reading.load({});
        const { page, start } = nextLoad(reading.paging, erased) ?? {};
        expect([Number(page) >= 1, Number(start) >= 0]).toEqual([true, true]);
      }),
    );
  });

  test('follows a next link unchanged', () => {
    const next = { params: { at: 2 } };
    const reading = new Reading(2, () => ({ rows: [1, 2], next }));
    reading.load({});
    expect(nextLoad(reading.paging, 5)).toBe(reading.paging.next);
  });
});

describe('Paging during a response', () => {
  const asked = { numbers: pageNumbers({ page: 3 }, 10), options: { page: 3, params: { q: 'a' } } };

  test('requests the same rows again if the response breaks off', () => {
    const paging = pagingAfterFirstRows(beginPaging<Model>({}, undefined), asked);
    expect(paging.complete).toBe(false);
    expect(pageNumbers(paging.next ?? {}, 10)).toEqual(asked.numbers);
    expect(paging.next?.params).toEqual({ q: 'a' });
  });

  test('requests the rows after the loaded ones if an appended response breaks off', () => {
    const reading = new Reading(2, (numbers) => ({ rows: range(ids(9), numbers) }));
    reading.load({});
    const { paging } = reading;
    const appended = { numbers: asked.numbers, options: { ...asked.options, addRecords: true } };
    expect(pagingAfterFirstRows(paging, appended).next).toBe(paging.next);
  });

  test('of a load without pages counts the rows as the whole collection', () => {
    const paging = beginPaging<Model>({}, undefined);
    expect(pagingAfterFirstRows(paging, { numbers: pageNumbers({}, 0), options: {} }).complete).toBe(true);
    expect(pagingAfterFirstRows(paging, asked).complete).toBe(false);
  });
});

describe('pageNumbers()', () => {
  test('computes the same page and start, whichever of them is given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), limit, (page, pageSize) => {
        const byPage = pageNumbers({ page }, pageSize);
        expect(byPage).toEqual({ page, start: (page - 1) * pageSize, limit: pageSize });
        expect(pageNumbers({ start: byPage.start }, pageSize)).toEqual(byPage);
      }),
    );
  });

  test('uses page 1 for a start that is not at the edge of a page', () => {
    expect(pageNumbers({ start: 7 }, 5)).toEqual({ page: 1, start: 7, limit: 5 });
  });

  test('without a limit returns only what the caller gave', () => {
    expect(pageNumbers({}, 0)).toEqual({ page: undefined, start: undefined });
    expect(pageNumbers({ page: 2, limit: 0 }, 25)).toEqual({ page: 2, start: undefined });
  });

  test('returns no page after a next link', () => {
    const next = { url: '/items?after=3' };
    expect(pageNumbers({ page: 2, next }, 25)).toEqual({ limit: 25 });
    expect(pageNumbers({ next }, 0)).toEqual({});
  });
});
