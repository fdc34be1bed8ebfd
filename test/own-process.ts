import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Suites of other configurations, some with installed packages. */
const others = ['browser', 'bundlers', 'frameworks', 'servers', 'site', 'faults'];

/** Code that changes the globals, timers, listeners, variables or memory of a process, or loads modules again. */
const CHANGES =
  /\bvi\.(?!fn\b)|globalThis, |(?<!typeof )globalThis\.\w+(\.\w+)? =|process\.(on|once|env\[.*\] =)|\bprototype\[.*\] =|fake-indexeddb|@hono\/node-server|\bgc\(/;

/** Code of a helper that registers hooks when the helper is loaded: with shared modules, only the first file that imports it gets them. */
const HOOKS = /^(export )?const .* = use[A-Z]\w*\(|^(before|after)(Each|All)\(/m;

/**
 * The unit tests in two parts. A file runs alone in a process, which costs a second, if the file or a helper that it imports changes the
 * process. All other files run together: they share processes and loaded modules. `leaves-nothing.ts` checks these after each file.
 */
export function unitTests(): { readonly alone: string[]; readonly together: string[] } {
  const alone: string[] = [];
  const together: string[] = [];
  for (const name of testFiles()) (needsOwnProcess(path.join(root, name)) ? alone : together).push(name);
  return { alone, together };
}

/** Whether the text of a test file, or of a helper that it imports, changes the process. */
export function needsOwnProcess(file: string): boolean {
  const [own = '', ...helpers] = textsOf(file).values();
  return CHANGES.test([own, ...helpers].join('\n')) || helpers.some((text) => HOOKS.test(text));
}

function testFiles(): string[] {
  const inside = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`.replaceAll('\\', '/'));
  const names = readdirSync(path.join(root, 'test'), { withFileTypes: true }).flatMap((entry) => {
    if (others.includes(entry.name)) return [];
    return entry.isDirectory() ? inside(`test/${entry.name}`) : [`test/${entry.name}`];
  });
  return [...names, ...inside('examples/back-office/test')].filter((name) => name.endsWith('.test.ts'));
}

/** The texts of a file and of the helpers that it imports, by their names. Files of src/ are left out: they have no side effects at import. */
function textsOf(file: string, texts: Map<string, string> = new Map()): Map<string, string> {
  const text = readFileSync(file, 'utf8');
  texts.set(file, text);
  for (const [, target = ''] of text.matchAll(/(?:from|import) '(\.[^']+)\.js'/g)) {
    const helper = path.resolve(path.dirname(file), `${target}.ts`);
    const isSource = helper.startsWith(path.join(root, 'src') + path.sep);
    if (!isSource && !texts.has(helper) && existsSync(helper)) textsOf(helper, texts);
  }
  return texts;
}
