import { USERS } from '../helpers/servers/index.js';
import type { Facts, Id } from './profile.js';

/** Fields, records and facts of servers that start with the rows of `USERS`. */
export const USER_FIELDS = {
  name: 'string',
  email: 'string',
  age: { type: 'int', allowNull: true },
  team: 'int',
} as const;

export const USER_RECORDS = {
  record: (n: number) => ({ name: `New ${n}`, email: `new${n}@example.test`, age: 20 + (n % 50), team: 1 + (n % 2) }),
  edit: (n: number) => ({ name: `Edited ${n}` }),
};

/** `idOf` turns the number of a seeded row into its id. */
export function userFacts(idOf: (number: number) => Id = (number) => number) {
  return {
    missingId: idOf(999_999),
    nullField: 'age',
    sortBy: 'name',
    groupBy: 'team',
    filter: { property: 'team', value: 1 },
    encoded: [
      { property: 'team', value: 2 },
      { property: 'name', value: USERS[58]?.name },
    ],
    none: { property: 'name', value: 'Nobody' },
    undeclared: { field: 'email', declared: 'name' },
  } satisfies Facts;
}
