/** A row of `users`, as every server of the tests starts with it. */
export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly age: number | null;
  readonly team: number;
}

export const TEAMS = [
  { id: 1, name: 'a' },
  { id: 2, name: 'b' },
] as const;

const FIRST: readonly UserRow[] = [
  { id: 1, name: 'Ada', email: 'ada@example.test', age: 36, team: 1 },
  { id: 2, name: 'Bob', email: 'bob@example.test', age: 25, team: 2 },
  { id: 3, name: 'Cid', email: 'cid@example.test', age: 41, team: 1 },
];

/** A name with characters that are special in a query or not ASCII. */
const AWKWARD = 'Zoë & Søn #1, 100% a+b=c?';

/** Sixty users, ids 1 to 60: three pages of 25, the last one short. Number 59 has an awkward name, number 60 no age. */
export const USERS: readonly UserRow[] = [
  ...FIRST,
  ...Array.from({ length: 57 }, (_, index): UserRow => {
    const id = index + FIRST.length + 1;
    const text = String(id).padStart(2, '0');
    return {
      id,
      name: id === 59 ? AWKWARD : `User ${text}`,
      email: `user${text}@example.test`,
      age: id === 60 ? null : 20 + (id % 40),
      team: 1 + (id % 2),
    };
  }),
];
