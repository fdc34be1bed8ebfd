import type { ModelPart } from '../model-part.js';
import { loadReference } from './load-reference.js';
import { createPhantoms } from './phantom-index.js';
import { keepParents, refuseTemporary, resolveReferences } from './resolve-references.js';
import { orderWrites } from './write-order.js';

/**
 * References to other models, as `references()` in the class body declares them: new records are sent before those that refer to
 * them, which get their ids; no temporary id is ever sent.
 */
export const references: ModelPart = {
  name: 'references',
  references: { createPhantoms, keepParents, refuseTemporary, resolveReferences, orderWrites, loadReference },
};
