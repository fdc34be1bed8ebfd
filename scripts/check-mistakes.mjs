// Checks that each mistake in test/types/mistakes/ gives the message in the `// THROWS` above its line, and no other message.
// usage: node scripts/check-mistakes.mjs
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ensureBuilt from './ensure-built.mjs';
import { compilers, runChecks, tsc, versionOf } from './typescript.mjs';

const folder = 'test/types/mistakes';
const root = path.resolve(import.meta.dirname, '..');

/** One check per compiler. */
export function mistakeChecks() {
  return compilers.map((compiler) => ({
    name: `TypeScript ${versionOf(compiler)}, messages about mistakes`,
    run: async () => {
      const { output } = await tsc(compiler, '-p', folder, '--pretty', 'false');
      const [promises, errors] = [promised(), reported(output)];
      const wrong = differences(promises, errors);
      return {
        ok: wrong.length === 0 && promises.size > 0,
        note: `${promises.size} messages`,
        output: wrong.join('\n'),
      };
    },
  }));
}

/** The expected message by `file:line`. */
function promised() {
  const texts = new Map();
  for (const file of readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.ts'))) {
    const lines = readFileSync(path.join(root, folder, file), 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      const text = /^\s*\/\/ THROWS (.+)$/.exec(line)?.[1];
      if (text) texts.set(`${folder}/${file}:${index + 2}`, text);
    }
  }
  return texts;
}

/** The messages of the compiler by `file:line`; the lines of one message are joined. */
function reported(output) {
  const errors = new Map();
  let last;
  for (const line of output.split('\n')) {
    const found = /^(\S.*?)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line);
    if (found) {
      last = `${found[1]}:${found[2]}`;
      errors.set(last, [...(errors.get(last) ?? []), found[3]]);
    } else if (last && line.startsWith(' ')) {
      errors.get(last).push(`${errors.get(last).pop()} ${line.trim()}`);
    } else if (line.trim()) errors.set(line, [line]);
  }
  return errors;
}

function differences(promises, errors) {
  const wrong = [];
  for (const [place, text] of promises) {
    const [first, ...more] = errors.get(place) ?? [];
    if (first === undefined) wrong.push(`${place}: no error, expected: ${text}`);
    else if (!first.includes(text)) wrong.push(`${place}: expected: ${text}`, `  but got: ${first}`);
    if (more.length > 0) wrong.push(`${place}: more than one error: ${more.join('; ')}`);
  }
  for (const [place, [text]] of errors) if (!promises.has(place)) wrong.push(`${place}: not expected: ${text}`);
  return wrong;
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  ensureBuilt();
  if (!(await runChecks(mistakeChecks()))) process.exitCode = 1;
}
