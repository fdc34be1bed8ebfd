import { Session as Inspector } from 'node:inspector/promises';

/** The built-in methods of lists that visit items without calling a function, with the number of items that a call visits. */
const LINEAR: Readonly<
  Record<string, (list: readonly unknown[], result: unknown, args: readonly unknown[]) => number>
> = {
  includes: (list) => list.length,
  indexOf: (list, at) => ((at as number) < 0 ? list.length : (at as number) + 1),
  lastIndexOf: (list) => list.length,
  slice: (_, copy) => (copy as readonly unknown[]).length,
  splice: (list, removed, [start = 0]) => list.length + (removed as readonly unknown[]).length - (start as number),
  concat: (_, joined) => (joined as readonly unknown[]).length,
  flat: (_, joined) => (joined as readonly unknown[]).length,
  join: (list) => list.length,
  shift: (list) => list.length,
  unshift: (list) => list.length,
  with: (list) => list.length,
  toSpliced: (list) => list.length,
};

interface Iteration {
  next: (...args: unknown[]) => unknown;
}
const ITERATORS = [[][Symbol.iterator](), new Set()[Symbol.iterator](), new Map()[Symbol.iterator]()].map(
  (iterator) => Object.getPrototypeOf(iterator) as Iteration,
);

/**
 * Counts the work of a call: how often each block of code of the library ran, as V8 counts it, and how many items built-in methods and
 * iterators visited. The number does not depend on how fast the machine is.
 */
export async function workOf(act: () => unknown): Promise<number> {
  const inspector = new Inspector();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  // Counts begin with this call.
  await inspector.post('Profiler.takePreciseCoverage');
  const visits = countVisits();
  try {
    await act();
  } finally {
    visits.stop();
  }
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  await inspector.post('Profiler.stopPreciseCoverage');
  inspector.disconnect();
  let blocks = 0;
  for (const { url, functions } of result)
    if (/\/(src|dist)\//.test(url) && !url.includes('node_modules'))
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  return blocks + visits.count;
}

/** Counts the items that built-in methods and iterators visit, until it is stopped. */
function countVisits(): { readonly count: number; stop(): void } {
  const visits = { count: 0, stop };
  const prototype = Array.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const undo: (() => void)[] = [];
  for (const [name, visited] of Object.entries(LINEAR)) {
    const original = prototype[name] as (...args: unknown[]) => unknown;
    prototype[name] = function (this: readonly unknown[], ...args) {
      const result = original.apply(this, args);
      visits.count += visited(this, result, args);
      return result;
    };
    undo.push(() => {
      prototype[name] = original;
    });
  }
  for (const iteration of ITERATORS) {
    const { next } = iteration;
    iteration.next = function (this: unknown) {
      visits.count += 1;
      return next.call(this);
    };
    undo.push(() => {
      iteration.next = next;
    });
  }
  return visits;

  function stop(): void {
    for (const each of undo) each();
  }
}
