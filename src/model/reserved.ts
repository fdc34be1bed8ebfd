/**
 * Whether a name is a member of every record, or of every object: no field can have it. Nothing is added to these, now or later;
 * everything else that records can do lives behind `$`.
 */
export function isReserved(name: string): boolean {
  return NAMES.includes(name) || name in Object.prototype || name === '__proto__';
}

const NAMES: readonly string[] = [
  'get',
  'set',
  'getId',
  'load',
  'save',
  'erase',
  'commit',
  'reject',
  'on',
  'phantom',
  'dirty',
  'erased',
  'toJSON',
  '$',
];
