/** Reads one member of a row. */
export type MemberReader = (row: Readonly<Record<string, unknown>>) => unknown;

// V8 optimises each place in the code for the members that are read there. If one place read all members, every read would be a
// slow look-up; with many places, most members have a place of their own.
const places: readonly ((member: string) => MemberReader)[] = [
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
];

/** Makes a function that reads a member. Members of the same name share a place in the code, also if their models differ. */
export function memberReader(member: string): MemberReader {
  let sum = 0;
  for (let at = 0; at < member.length; at += 1) sum = (sum * 31 + member.charCodeAt(at)) % 65_521;
  return (places[sum % places.length] as (member: string) => MemberReader)(member);
}
