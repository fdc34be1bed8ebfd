// Checks the subjects of commits by the rules in CONTRIBUTING.md, "Commits".
// usage: node scripts/check-commits.mjs [RANGE]; without a range, all commits after the one at which the rules began
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');

/** The commit at which the rules began: older subjects are not checked. */
const BASE = 'e41ac62e108ad0143a130a2678a18ded8dc61dbc';

const MOST_CHARACTERS = 72;

/** Words that begin no imperative sentence. */
const NO_VERBS = new Set(
  [
    'a an the this that these those it its they there here one two three some any each every all no none not never only both',
    'what which who whose where when while why how if because since until unless though',
    'as at by for from in into of off on onto out over to under up with without before after behind between during through',
    'and or but nor so then also now today more less most new old other another same such very',
  ]
    .join(' ')
    .split(' '),
);

/** Verbs whose imperative ends as a past tense, a participle or a plural does. */
const VERBS = new Set(
  [
    'bleed breed embed exceed feed heed need proceed seed shed speed succeed wed',
    'bring cling fling ping ring sing spring string swing',
    'access address alias assess bias bypass compress cross discuss dismiss dispossess express focus guess harness miss pass',
    'possess press process redress stress suppress surpass toss trespass witness',
  ]
    .join(' ')
    .split(' '),
);

/** The rule that a subject breaks; undefined where it breaks none. */
export function subjectProblem(subject) {
  const reverts = /^Revert "/.test(subject);
  if (subject.length > MOST_CHARACTERS && !reverts)
    return `has ${subject.length} characters, ${MOST_CHARACTERS} at most`;
  if (subject.endsWith('.')) return 'ends with a full stop';
  const [word = ''] = /^[A-Z][a-z]+(?=\s|-|$)/.exec(subject) ?? [];
  const verb = word.toLowerCase();
  if (!word) return 'begins with no method in upper case';
  if (NO_VERBS.has(verb)) return `begins with '${word}' instead of a method`;
  if (/(?:ed|ing|s)$/.test(verb) && !VERBS.has(verb)) return `begins with '${word}', which is no imperative`;
  return undefined;
}

/** Runs git; undefined where it fails. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function main([range]) {
  // A package without its history, and a shallow clone that does not reach back to the base, are no mistakes.
  if (git('rev-parse', '--is-inside-work-tree') !== 'true')
    return console.log('no git history: no commits are checked');
  const hasBase = git('cat-file', '-e', `${BASE}^{commit}`) !== undefined;
  const wanted = range ? [range] : ['HEAD', ...(hasBase ? [`^${BASE}`] : [])];
  const log = git('log', '--no-merges', '--format=%h %s', ...wanted);
  if (log === undefined) throw new Error(`git knows no commits '${wanted.join(' ')}'`);
  const lines = log.split('\n').filter(Boolean);
  const problems = lines.flatMap((line) => {
    const [, commit, subject] = /^(\S+) ?(.*)$/.exec(line);
    const problem = subjectProblem(subject);
    return problem ? [`${commit}: the subject ${problem}: ${subject}`] : [];
  });
  for (const problem of problems) console.error(problem);
  console.log(`${lines.length} commits, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) main(process.argv.slice(2));
