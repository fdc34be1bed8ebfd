import fc from 'fast-check';
import { expect, test } from 'vitest';

test('properties try the same values in each run, unless the caller gives another seed', () => {
  expect(fc.readConfigureGlobal()).toEqual({ seed: Number(process.env['REPOSE_SEED'] ?? 1) });
});
