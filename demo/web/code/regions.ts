/** The lines of a file between the marks `#region name` and `#endregion`, without their common indentation. */
export function regionOf(text: string, name: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  if (start < 0) throw new Error(`The file has no region "${name}"`);
  const end = lines.findIndex((line, at) => at > start && line.trim() === '// #endregion');
  const inside = lines
    .slice(start + 1, end < 0 ? undefined : end)
    .filter((line) => !/^\s*\/\/ #(end)?region/.test(line));
  const margin = Math.min(...inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return inside
    .map((line) => line.slice(margin))
    .join('\n')
    .trim();
}
