import type { ModelPart } from '../model-part.js';

/**
 * The part of named namings: with `naming: 'snake'`, `createdAt` is sent as `created_at`; with `'kebab'`, as `created-at`.
 *
 * @example
 * ```ts
 * import { Model as CoreModel } from 'repose/core';
 *
 * class SmallModel extends CoreModel {
 *   static override readonly parts: readonly ModelPart[] = [namings];
 * }
 * class Task extends SmallModel.define({ fields: { id: 'int', createdAt: 'date' }, naming: 'snake' }) {}
 * ```
 */
export const namings: ModelPart = {
  name: 'namings',
  namings: {
    snake: (field) => joinWords(field, '_'),
    kebab: (field) => joinWords(field, '-'),
  },
};

function joinWords(field: string, joint: string): string {
  return field
    .replace(/([a-z\d])([A-Z])/g, `$1${joint}$2`)
    .replace(/([A-Z])([A-Z][a-z])/g, `$1${joint}$2`)
    .toLowerCase();
}
