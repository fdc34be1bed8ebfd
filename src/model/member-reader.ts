/** Reads one member of rows. */
export type MemberReader = (row: Readonly<Record<string, unknown>>) => unknown;

// Engines learn which member is read at each place in the code. At one place for all members they would learn nothing, and every
// read of a field would be a search; here most have a place of their own.
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

/** A reader of a member; those of one name share a place, whatever model they belong to. */
export function memberReader(member: string): MemberReader {
  let sum = 0;
  for (let at = 0; at < member.length; at += 1) sum = (sum * 31 + member.charCodeAt(at)) % 65_521;
  return (places[sum % places.length] as (member: string) => MemberReader)(member);
}
