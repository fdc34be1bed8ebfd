import type { ModelPart } from '../model-part.js';

/** Namings by name: `createdAt` is `created_at` on the wire with `naming: 'snake'`, `created-at` with `'kebab'`. */
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
