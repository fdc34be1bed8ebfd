import { isTree } from '../util/values.js';
import { warn } from './checks.js';

/** Thrown by the constructor of a store while only its options are asked for. */
class AskedOptions {
  /** Whether only the options of stores are asked for. */
  static isAsking = false;

  constructor(readonly options: object) {}
}

/** The function that makes the store of a screen, and the options that it has given. It is a member of its source, so that it goes with the screen. */
interface Known {
  readonly make: () => unknown;
  readonly options: object | undefined;
  isTold: boolean;
}

const KNOWN: unique symbol = Symbol('repose.made-options');

/** Call it first in the constructor of a store. Throws where only the options are asked for. */
export function answerOptions(options: object): void {
  if (AskedOptions.isAsking) throw new AskedOptions(options);
}

/**
 * Says once in the console that the function which makes the store of a screen would give it other options by now. Call it whenever the screen
 * may have changed. Functions, and what differs at each call of the same function, such as `new Date()`, do not count.
 */
export function checkMade(source: object, make: unknown): void {
  if (typeof make !== 'function') return;
  const owner: { [KNOWN]?: Known } = source;
  const known = owner[KNOWN];
  if (!known) {
    owner[KNOWN] = { make: make as () => unknown, options: optionsOf(make as () => unknown), isTold: false };
    return;
  }
  // A function that is the same one may still read other values, where frameworks track what it reads.
  const options = known.isTold ? undefined : optionsOf(make as () => unknown);
  if (!options || !known.options) return;
  const again = optionsOf(known.make);
  const unsteady = differences(make === known.make ? options : known.options, again ?? {});
  const names = differences(known.options, options).filter((name) => !unsteady.includes(name));
  if (names.length === 0) return;
  known.isTold = true;
  warn(
    `The store of a screen keeps the options that it was made with, but the function that makes it gives other ones now: ${names.join(', ')}. Name what they depend on, so that the store is made anew, \`useStore(make, [team])\`, or changed, \`useStore(make, [team], (store) => store.filter(…))\`; in Vue, Svelte, Solid and Angular the second argument is a function, \`() => [team]\``,
  );
}

/** The options that a function gives to the first store that it makes. No store is made. */
function optionsOf(make: () => unknown): object | undefined {
  AskedOptions.isAsking = true;
  try {
    make();
  } catch (thrown) {
    if (thrown instanceof AskedOptions) return { ...thrown.options };
  } finally {
    AskedOptions.isAsking = false;
  }
  return undefined;
}

function differences(a: object, b: object): readonly string[] {
  const [before, after] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  return Object.keys({ ...before, ...after }).filter((name) => !isSameOption(before[name], after[name]));
}

function isSameOption(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  // A model is a function as well, and has a name of its own.
  if (typeof a === 'function') return typeof b === 'function' && a.name === b.name;
  if (a instanceof Date) return b instanceof Date && Object.is(Number(a), Number(b));
  if (isTree(a) && isTree(b)) return Array.isArray(a) === Array.isArray(b) && differences(a, b).length === 0;
  const [key, other] = [a, b].map((each) => (each as { readonly key?: unknown } | undefined)?.key);
  return typeof key === 'string' && key === other;
}
