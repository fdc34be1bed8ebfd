import type { ModelPart } from '../model-part.js';
import { loadReference } from './load-reference.js';
import { createPhantoms } from './phantom-index.js';
import { keepParents, refuseTemporaryId, resolveReferences } from './resolve-references.js';
import { orderWrites } from './write-order.js';

/**
 * The part of references to other models, which `references()` in the class body declares. New records are sent before the records
 * that refer to them, and their new ids replace the temporary ids in these; no temporary id is ever sent.
 */
export const references: ModelPart = {
  name: 'references',
  references: {
    createPhantoms,
    keepParents,
    refuseTemporaryId,
    resolveReferences,
    orderWrites,
    loadReference,
  },
};
