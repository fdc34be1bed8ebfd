import { describe, expect, test } from 'vitest';
import { subjectProblem } from '../../scripts/check-commits.mjs';

describe('the check of commit subjects', () => {
  test.each([
    'Keep edits made during a rollback',
    'Need a name',
    'Pass the record',
    'Re-read the row',
    'Bring it back',
  ])('accepts "%s"', (subject) => {
    expect(subjectProblem(subject)).toBeUndefined();
  });

  test.each([
    ['Kept edits. Then more.', 'ends with a full stop'],
    ['Added a test', "begins with 'Added', which is no imperative"],
    ['Adding a test', "begins with 'Adding', which is no imperative"],
    ['Adds a test', "begins with 'Adds', which is no imperative"],
    ['The store keeps edits', "begins with 'The' instead of a method"],
    ['What is sent', "begins with 'What' instead of a method"],
    ['keep edits', 'begins with no method in upper case'],
    ['Store: keep edits', 'begins with no method in upper case'],
    ['sync() settles', 'begins with no method in upper case'],
    [`Keep ${'x'.repeat(68)}`, 'has 73 characters, 72 at most'],
  ])('refuses "%s"', (subject, problem) => {
    expect(subjectProblem(subject)).toBe(problem);
  });

  test('accepts the long subject of a revert', () => {
    expect(subjectProblem(`Revert "Keep ${'x'.repeat(67)}"`)).toBeUndefined();
  });
});
