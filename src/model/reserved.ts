import { BaseModel } from './base-model.js';

/**
 * Whether a name is a member of every record or of every object, so that no field can have it. No further names will be reserved:
 * everything else that records can do is a member of `$`.
 */
export function isReserved(name: string): boolean {
  return name in BaseModel.prototype;
}
