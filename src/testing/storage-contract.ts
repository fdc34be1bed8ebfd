import { checkGiven, checkOptions } from '../dev/checks.js';
import { callable, type Rules, string } from '../errors/option-rules.js';
import type { OutboxStorage } from '../outbox/storage/outbox-storage.js';
import type { ContractRunner } from './proxy-contract.js';
import { StorageFixture } from './storage-fixture.js';
import { storageKillCases } from './storage-kill-cases.js';
import { storageStepCases } from './storage-step-cases.js';
import { storageTabCases } from './storage-tab-cases.js';

/** A place for stored changes, such as a database or a file, which is empty at first. */
export interface StoragePlace {
  /** Makes a storage over the place, as a tab or process makes it at its start. It is not open yet. */
  createStorage: () => OutboxStorage | Promise<OutboxStorage>;
  /**
   * Ends the tab or process of a storage without `close()`: it releases what the system releases then, such as locks and connections.
   * Steps that are under way may still be done or not. @default calls `close()` of the storage
   */
  kill?: (storage: OutboxStorage) => void | Promise<void>;
  /** Deletes the place; called after each test. */
  destroy?: () => void | Promise<void>;
}

/** Options of the contract of storages. */
export interface StorageContractOptions {
  /** Makes a new place; called before each test. */
  createPlace: () => StoragePlace | Promise<StoragePlace>;
  /** Name of the group of tests. @default 'storage contract' */
  name?: string;
}

const RULES: Rules<StorageContractOptions> = { createPlace: callable, name: string };

/** One test of the contract. */
export interface StorageCase {
  readonly title: string;
  run(fixture: StorageFixture): Promise<void>;
}

/**
 * Declares the tests that every storage of an outbox must pass: the order of changes, progress, outcomes and identities, atomic steps,
 * two tabs, and kills in the middle of each step. Works with any test runner. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'repose/outbox';
 * import { storageContract } from 'repose/testing';
 * import { describe, test } from 'vitest';
 *
 * const createPlace = () => {
 *   const storage = memoryStorage(); // your storage, over a new place such as a file
 *   return { createStorage: () => storage };
 * };
 * storageContract({ createPlace }, { describe, test, skip: test.skip });
 * ```
 */
export function storageContract(options: StorageContractOptions, runner: ContractRunner): void {
  checkOptions('storageContract', options, RULES);
  checkGiven('storageContract.createPlace', options.createPlace, callable);
  const { name = 'storage contract', createPlace } = options;
  const groups: Record<string, readonly StorageCase[]> = {
    steps: storageStepCases,
    'two tabs': storageTabCases,
    kills: storageKillCases,
  };
  for (const [group, cases] of Object.entries(groups)) {
    const define = (prefix: string) => {
      for (const { title, run } of cases) runner.test(`${prefix}${title}`, () => runCase(createPlace, run));
    };
    if (runner.describe) runner.describe(`${name}: ${group}`, () => define(''));
    else define(`${name}: ${group}: `);
  }
}

async function runCase(createPlace: StorageContractOptions['createPlace'], run: StorageCase['run']): Promise<void> {
  const place = await createPlace();
  const fixture = new StorageFixture(place);
  try {
    await run(fixture);
  } finally {
    await fixture.end();
    await place.destroy?.();
  }
}
