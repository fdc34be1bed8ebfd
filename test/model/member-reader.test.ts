import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberReader } from '../../src/model/field-reader.js';

test('a member reader reads the member of its name, and no other', () => {
  const name = fc.string().filter((each) => each !== '__proto__');
  fc.assert(
    fc.property(fc.dictionary(name, fc.integer(), { noNullPrototype: true }), name, (row, other) => {
      for (const [member, value] of Object.entries(row)) expect(memberReader(member)(row)).toBe(value);
      expect(memberReader(other)({ ...row, [other]: 'own' })).toBe('own');
    }),
  );
});
