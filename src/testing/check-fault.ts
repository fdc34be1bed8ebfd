import { checkOptions } from '../dev/checks.js';
import { describe } from '../errors/messages.js';
import { any, callable, flag, object, oneOf, type Rule, string, wholeFrom } from '../errors/option-rules.js';
import type { Fault, FaultRule, SimpleFault } from './faults.js';
import { misuse } from './misuse.js';

/** HTTP statuses of responses without a body. */
export const BODILESS: readonly number[] = [204, 205, 304];

/** Rules of the options of each kind of fault. */
const MEMBERS: { readonly [T in Fault['type']]: Readonly<Record<string, Rule>> } = {
  pass: {},
  drop: {},
  lose: {},
  status: { status: any, headers: object, body: any, processed: flag },
  truncate: { at: wholeFrom(0), silent: flag },
  malformed: { body: string },
  hold: { what: oneOf('request', 'answer') },
  hang: {},
};

const times: Rule = {
  expected: 'a whole number, or Infinity',
  holds: (value) => value === Number.POSITIVE_INFINITY || wholeFrom(0).holds(value),
};

/** Returns a fault as an object. Throws `DefinitionError` for an invalid one: a misspelt fault would be ignored, or be another fault. */
export function checkFault(given: FaultRule | SimpleFault): FaultRule {
  const fault: FaultRule = typeof given === 'string' ? { type: given } : given;
  if (!Object.hasOwn(MEMBERS, String(fault?.type))) {
    const known = Object.keys(MEMBERS).join(', ');
    throw misuse('test-fault', { what: describe(fault?.type ?? fault), known });
  }
  checkOptions('fault', fault, { type: any, on: callable, times, ...MEMBERS[fault.type] });
  if (fault.type !== 'status') return fault;
  const { status, body } = fault;
  const known = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!known || (body !== undefined && BODILESS.includes(status))) throw misuse('test-status', { status });
  return fault;
}
