import type { Row } from './harness.js';

/** The rows as text, case by case: first the floor, then the subjects from best to worst. */
export function table(rows: readonly Row[]): string {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const title = row.workload === 'size' ? 'size' : `${row.workload}: ${row.case}, n = ${row.n.toLocaleString('en')}`;
    groups.set(title, [...(groups.get(title) ?? []), row]);
  }
  const width = Math.max(...rows.map(({ subject }) => subject.length));
  const lines: string[] = [];
  for (const [title, group] of groups) {
    lines.push(title);
    const rank = ({ subject, ratio }: Row) => (subject === 'floor' ? -1 : ratio);
    for (const row of group.sort((a, b) => rank(a) - rank(b))) {
      const value = `${number(row.value)} ${row.unit}`;
      const what = row.workload === 'size' ? `  ${row.case}` : '';
      lines.push(
        `  ${row.subject.padEnd(width)}  ${value.padStart(20)}  ${`${number(row.ratio)}×`.padStart(10)}${what}`,
      );
    }
  }
  return lines.join('\n');
}

function number(value: number): string {
  return value.toLocaleString(
    'en',
    value < 100 ? { minimumSignificantDigits: 3, maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}
