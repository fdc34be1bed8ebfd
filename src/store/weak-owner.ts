import type { RecordOwner } from '../model/record-owner.js';

/**
 * Makes an owner that passes the changes of its records on, and holds the real owner weakly. Records of a session are shared by its
 * stores: one that is shown anywhere would otherwise keep every store alive that ever held it.
 */
export function weakOwner(owner: RecordOwner): RecordOwner {
  const ref = new WeakRef(owner);
  return {
    get isGone() {
      return ref.deref() === undefined;
    },
    recordChanged: (record, change) => ref.deref()?.recordChanged(record, change),
    recordChanging: (record, fields) => ref.deref()?.recordChanging?.(record, fields),
  };
}
