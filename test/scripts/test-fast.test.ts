import { describe, expect, test } from 'vitest';
import { nearestTests } from '../../scripts/test-fast.mjs';

describe('npm run test:fast', () => {
  test('selects no tests if nothing has changed', () => {
    expect(nearestTests([])).toEqual([]);
  });

  test('orders changed tests first, then tests named like a changed file, then those of the folder, slow ones last', () => {
    const all = [
      'test/model/writes.test.ts',
      'test/sync/failures.test.ts',
      'test/sync/order.property.test.ts',
      'test/sync/rollback.test.ts',
      'test/sync/session.test.ts',
      'test/util/values.test.ts',
    ];
    expect(nearestTests(['src/sync/session.ts', 'test/util/values.test.ts'], all)).toEqual([
      'test/util/values.test.ts',
      'test/sync/session.test.ts',
      'test/sync/failures.test.ts',
      'test/sync/rollback.test.ts',
      'test/sync/order.property.test.ts',
    ]);
  });

  test('selects the tests that use a changed helper', () => {
    const tests = nearestTests(['test/docs/markdown.ts']);
    expect(tests).toContain('test/docs/links.test.ts');
    expect(tests).not.toContain('test/model/record.test.ts');
  });

  test('selects the tests of the documents for a changed page', () => {
    expect(nearestTests(['README.md'])).toContain('test/docs/readme.test.ts');
    expect(nearestTests(['docs/testing.md']).every((file) => file.startsWith('test/docs/'))).toBe(true);
  });
});
