/** The names that the option `naming` accepts: with `'snake'`, `createdAt` is sent as `created_at`; with `'kebab'`, as `created-at`. */
export const namings: Readonly<Record<'snake' | 'kebab', (field: string) => string>> = {
  snake: (field) => joinWords(field, '_'),
  kebab: (field) => joinWords(field, '-'),
};

function joinWords(field: string, joint: string): string {
  return field
    .replace(/([a-z\d])([A-Z])/g, `$1${joint}$2`)
    .replace(/([A-Z])([A-Z][a-z])/g, `$1${joint}$2`)
    .toLowerCase();
}
