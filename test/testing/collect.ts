import type { ContractRunner } from 'repose/testing';

/** Results of tests, by their whole name. */
export interface Results {
  readonly passed: string[];
  readonly failed: Map<string, unknown>;
  readonly skipped: string[];
}

/** A runner that collects tests; `run` runs them one after the other. */
export function collector(): { readonly runner: Required<ContractRunner>; run(): Promise<Results> } {
  const tests: { name: string; run: () => Promise<void> }[] = [];
  const skipped: string[] = [];
  const path: string[] = [];
  const full = (name: string) => [...path, name].join(' > ');
  return {
    runner: {
      test: (name, run) => tests.push({ name: full(name), run }),
      skip: (name) => skipped.push(full(name)),
      describe(name, define) {
        path.push(name);
        define();
        path.pop();
      },
    },
    async run() {
      const results: Results = { passed: [], failed: new Map(), skipped };
      for (const { name, run } of tests) {
        await run().then(
          () => results.passed.push(name),
          (error) => results.failed.set(name, error),
        );
      }
      return results;
    },
  };
}
