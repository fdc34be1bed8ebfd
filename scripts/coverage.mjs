// Counts the calls of the functions of a built package while something runs.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Starts to count. Call it before the package is loaded: V8 misses some of the functions that have run before. `dist` is the folder of
 * the built package.
 */
export function startCoverage(dist) {
  const session = new Session();
  session.connect();
  ask(session, 'enable');
  ask(session, 'startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** Runs a function, and returns the files with functions that ran, sorted, each with the names and counts of these functions. */
    async during(run) {
      await setImmediate();
      // Resets every count to 0.
      ask(session, 'takePreciseCoverage');
      await run();
      // Work that ends after the promise has resolved belongs to the run as well.
      await setImmediate();
      return filesIn(ask(session, 'takePreciseCoverage').result, dist);
    },
    stop: () => session.disconnect(),
  };
}

function ask(session, method, options) {
  let answer;
  // The session runs in the same thread, so that the response comes before `post` returns.
  session.post(`Profiler.${method}`, options, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

function filesIn(scripts, dist) {
  const files = new Map();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(dist + path.sep)) continue;
    const sourceAt = sourcesOf(fileURLToPath(url), dist);
    for (const each of functions) {
      if (each.ranges[0].count === 0) continue;
      const file = sourceAt(each.ranges[0].startOffset);
      const known = files.get(file) ?? [];
      known.push({ name: nameOf(each, functions), count: each.ranges[0].count });
      files.set(file, known);
    }
  }
  return [...files].map(([file, functions]) => ({ file, functions })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** A function that returns the file of the source of an offset in a file of the package, which may hold several: the builder marks each. */
function sourcesOf(file, dist) {
  const regions = [...readFileSync(file, 'utf8').matchAll(/^\/\/#region src\/(.+)$/gm)];
  const own = path.relative(dist, file).replaceAll('\\', '/').replace(/js$/, 'ts');
  return (offset) => regions.findLast(({ index }) => index <= offset)?.[1] ?? own;
}

/** The name of a function; one without a name is a part of the innermost named function around it. */
function nameOf({ functionName, ranges: [own] }, functions) {
  if (functionName) return functionName;
  const around = functions.filter(
    ({ functionName: name, ranges: [range] }) =>
      name && range.startOffset < own.startOffset && range.endOffset >= own.endOffset,
  );
  const [inner] = around.sort((a, b) => b.ranges[0].startOffset - a.ranges[0].startOffset);
  return `(in ${inner?.functionName ?? 'the module'})`;
}
