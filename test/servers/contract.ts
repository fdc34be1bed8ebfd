import { type AnyDataError, isDataError } from 'repose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START_TIMEOUT } from '../helpers/servers/index.js';
import { Host } from './host.js';
import { CHECKS, type CheckName, type Facts, type ServerProfile } from './profile.js';
import { reading } from './reading.js';
import { Recorder } from './recorder.js';
import { special } from './special.js';
import { writing } from './writing.js';

/** Members that the groups of checks use. */
export interface Contract {
  readonly host: Host;
  readonly profile: ServerProfile;
  /** Whether a check is not left out. */
  has(check: CheckName): boolean;
  check(name: CheckName, body: () => Promise<void>): void;
  /** A fact of the profile that a check needs. */
  fact<K extends keyof Facts>(name: K): NonNullable<Facts[K]>;
}

/** One suite for all real servers: requests that each must accept, and answers that the library must read. */
export function serverContract(name: string, profile: ServerProfile): void {
  describe(`${name}: ${profile.title}`, () => {
    const { without = {}, facts, timeout = 30_000 } = profile;
    const host = new Host(profile);
    const recorder = new Recorder(name, profile);
    const more: string[] = [];
    let version: string | undefined;

    beforeAll(async () => {
      await host.start();
      version = await profile.version(host.running);
    }, START_TIMEOUT);
    afterAll(async () => {
      await host.stop();
      if (version !== undefined) recorder.write(version, more);
    });

    const run = (key: string, title: string, body: () => Promise<void>) =>
      test(
        title,
        async () => {
          host.exchanges.length = 0;
          await body();
          // Every address has to be the final one: a redirect costs a round trip, and a write its body.
          expect(host.exchanges.filter(({ redirected }) => redirected)).toEqual([]);
          recorder.pass(key);
        },
        timeout,
      );

    const contract: Contract = {
      host,
      profile,
      has: (check) => without[check] === undefined,
      check(check, body) {
        const reason = without[check];
        if (reason === undefined) run(check, CHECKS[check], body);
        else test(`${CHECKS[check]}: left out, ${reason}`, ({ skip }) => skip(reason));
      },
      fact(fact) {
        const value = facts[fact];
        if (value == null) throw new Error(`The profile ${name} needs facts.${fact}, or a reason in \`without\`.`);
        return value;
      },
    };
    reading(contract);
    writing(contract);
    special(contract);
    profile.more?.(host, (title, body) => {
      more.push(title);
      run(title, title, body);
    });
  });
}

/** The error that a call of the library rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<AnyDataError> {
  const error = await call.then(
    () => {
      throw new Error('The call succeeded.');
    },
    (reason: unknown) => reason,
  );
  if (!isDataError(error)) throw error;
  return error;
}

/** The fields that a validation error complains about. */
export function pathsOf(error: AnyDataError): string[] {
  return error.code === 'validation' ? error.issues.map((issue) => issue.path.join('.')).toSorted() : [];
}
