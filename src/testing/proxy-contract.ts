import { checkGiven, checkOptions } from '../dev/checks.js';
import { any, callable, object, type Rules, string } from '../errors/option-rules.js';
import type { Fields } from '../model/field.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { abortCases } from './abort-cases.js';
import { Fixture } from './fixture.js';
import { readingCases } from './reading-cases.js';
import { resultCases } from './result-cases.js';
import { writingCases } from './writing-cases.js';

/** A part of the contract that some sources cannot support. */
export type ContractPart = 'paging' | 'total' | 'sorting' | 'filtering' | 'undeclared' | 'gone' | 'abort';

/** Options of the contract: a collection, and a proxy for it. */
export interface ProxyContractOptions {
  /** Creates a proxy; called before each test. Each test erases the records that it creates, so all tests can share a collection. */
  createProxy: () => DataProxy | Promise<DataProxy>;
  /** Releases resources of `createProxy`; called after each test. */
  destroyProxy?: (proxy: DataProxy) => void | Promise<void>;
  /** Name of the group of tests. @default 'proxy contract' */
  name?: string;
  /** The fields of the collection. @default id, name (a text) and rank (a number) */
  fields?: Fields;
  /** @default 'id' */
  idProperty?: string;
  /** Values of the nth record, without an id. @default a name that is hard to encode, and n as the rank */
  values?: (n: number) => Record<string, unknown>;
  /** The text field that the tests edit and filter by; each record needs another value. @default 'name' */
  text?: string;
  /** The number field that the tests sort by; each record needs another value. @default 'rank' */
  number?: string;
  /** Unsupported parts, each with the reason. Their tests are skipped. */
  without?: Partial<Record<ContractPart, string>>;
}

const RULES: Rules<ProxyContractOptions> = {
  createProxy: callable,
  destroyProxy: callable,
  name: string,
  fields: object,
  idProperty: string,
  values: callable,
  text: string,
  number: string,
  without: object,
};

const PARTS: Rules<NonNullable<ProxyContractOptions['without']>> = {
  paging: any,
  total: any,
  sorting: any,
  filtering: any,
  undeclared: any,
  gone: any,
  abort: any,
};

/** The functions of a test runner that the contract needs: vitest, node:test, mocha and others have them. */
export interface ContractRunner {
  test(name: string, run: () => Promise<void>): unknown;
  /** @default the names of the tests begin with it */
  describe?(name: string, define: () => void): unknown;
  /** Called for each skipped test; the name of the test includes the reason. */
  skip?(name: string, run: () => Promise<void>): unknown;
}

/** One test of the contract. */
export interface ContractCase {
  readonly title: string;
  readonly needs?: ContractPart | undefined;
  run(fixture: Fixture): Promise<void>;
}

/**
 * Declares the tests that every proxy must pass: create, read, lists with paging, sorting and filtering, update, erase, missing
 * records, aborts, concurrent operations, and result sets. Works with any test runner. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * import { proxyContract } from 'repose/testing';
 * import { describe, test } from 'vitest';
 *
 * proxyContract({ createProxy: () => new RestProxy({ url: 'http://localhost:3000/rows' }) }, { describe, test, skip: test.skip });
 * ```
 */
export function proxyContract(options: ProxyContractOptions, runner: ContractRunner): void {
  checkOptions('proxyContract', options, RULES);
  checkGiven('proxyContract.createProxy', options.createProxy, callable);
  const { name = 'proxy contract', without = {} } = options;
  checkOptions('proxyContract.without', without, PARTS);
  const groups: Record<string, readonly ContractCase[]> = {
    reading: readingCases,
    writing: writingCases,
    results: resultCases,
    aborting: abortCases,
  };
  const group = (title: string, prefix: string, define: (prefix: string) => void) => {
    if (runner.describe) runner.describe(title, () => define(''));
    else define(`${prefix}${title}: `);
  };
  group(name, '', (outer) => {
    for (const [title, cases] of Object.entries(groups)) {
      group(title, outer, (prefix) => {
        for (const { title, needs, run } of cases) {
          const reason = needs && without[needs];
          if (reason === undefined) runner.test(prefix + title, () => runCase(options, run));
          else runner.skip?.(`${prefix}${title} (left out: ${reason})`, async () => undefined);
        }
      });
    }
  });
}

async function runCase(options: ProxyContractOptions, run: ContractCase['run']): Promise<void> {
  const proxy = await options.createProxy();
  try {
    const fixture = new Fixture(proxy, {
      fields: options.fields ?? { id: 'auto', name: 'string', rank: 'int' },
      idProperty: options.idProperty ?? 'id',
      values: options.values ?? ((n) => ({ name: `Zoë & Bob #${n}, 100%`, rank: n })),
      text: options.text ?? 'name',
      number: options.number ?? 'rank',
      paging: options.without?.paging === undefined,
    });
    try {
      await run(fixture);
    } finally {
      await fixture.end();
    }
  } finally {
    await options.destroyProxy?.(proxy);
  }
}
