/** How a style writes field names: `createdAt` is `created_at` in snake, `created-at` in kebab. */
export function renameTo(style: 'snake' | 'kebab'): (name: string) => string {
  const joint = style === 'snake' ? '_' : '-';
  return (name) =>
    name
      .replace(/([a-z\d])([A-Z])/g, `$1${joint}$2`)
      .replace(/([A-Z])([A-Z][a-z])/g, `$1${joint}$2`)
      .toLowerCase();
}
