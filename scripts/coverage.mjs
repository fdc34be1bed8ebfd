// Counts the calls of the functions of a built package while something runs.
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
  return scripts
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(dist + path.sep))
    .map(({ url, functions }) => ({
      file: path.relative(dist, fileURLToPath(url)).replaceAll('\\', '/').replace(/js$/, 'ts'),
      functions: functions
        .filter(({ ranges }) => ranges[0].count > 0)
        .map((each) => ({ name: nameOf(each, functions), count: each.ranges[0].count })),
    }))
    .filter(({ functions }) => functions.length > 0)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
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
