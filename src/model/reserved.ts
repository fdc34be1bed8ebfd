import { BaseModel } from './base-model.js';

/**
 * Whether a name is a member of every record, or of every object: no field can have it. Nothing is added to these, now or later;
 * everything else that records can do lives behind `$`.
 */
export function isReserved(name: string): boolean {
  return name in BaseModel.prototype;
}
