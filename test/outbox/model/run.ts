/**
 * `node --import tsx test/outbox/model/run.ts [SCOPE [MISTAKE,…]]`: explores every scope of the model of the outbox, and each mistake in
 * the scope that must catch it. With the name of a scope, explores this one, with the given mistakes, and prints the history that breaks
 * a law.
 */
import { explore } from './explore.js';
import type { Mistakes } from './mistakes.js';
import { SCOPES, SCOPES_OF_MISTAKES, type Scope } from './scopes.js';

let all = 0;

function run(name: string, scope: Scope, on: Mistakes, isBroken: boolean, printsHistory = false): void {
  const start = performance.now();
  const { worlds, finals, law, history } = explore(scope, on, { shortest: isBroken });
  all += worlds;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name}: ${worlds} states, ${finals} final, ${seconds} s: ${law ?? 'no law is broken'}`);
  const isExpected = (law !== undefined) === isBroken;
  if (history && (printsHistory || !isExpected)) console.log(history.map((each) => `  ${each}`).join('\n'));
  if (!isExpected) process.exitCode = 1;
}

/** The mistakes with these names. */
function switchedOn(names: readonly string[]): Mistakes {
  return Object.fromEntries(names.map((name) => [name, true]));
}

const [name, mistakes] = process.argv.slice(2);
if (name !== undefined) {
  const scope = (SCOPES as Record<string, Scope>)[name];
  if (!scope) throw new Error(`'${name}' is none of ${Object.keys(SCOPES).join(', ')}`);
  run(name, scope, switchedOn((mistakes ?? '').split(',').filter(Boolean)), mistakes !== undefined, true);
} else {
  for (const [mistakes, scope] of SCOPES_OF_MISTAKES) run(mistakes.join(), scope, switchedOn(mistakes), true);
  for (const [each, scope] of Object.entries<Scope>(SCOPES)) run(each, scope, {}, false);
  console.log(`${all} states`);
}
