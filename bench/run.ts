/** `npm run bench -- NAME... [--json FILE] [--quick]`: medians of alternating runs, as ratios to a plain floor of the same run. */
import { writeFile } from 'node:fs/promises';
import type { Row } from './harness.js';
import { url } from './url.js';

const workloads: Record<string, (quick: boolean) => Row[]> = { url };

const names: string[] = [];
let json: string | undefined;
let quick = false;
const args = process.argv.slice(2);
while (args.length) {
  const arg = args.shift() as string;
  if (arg === '--json') json = args.shift();
  else if (arg === '--quick') quick = true;
  else names.push(arg);
}
const unknown = names.find((name) => !Object.hasOwn(workloads, name));
if (unknown !== undefined) {
  console.error(`There is no workload '${unknown}'; known: ${Object.keys(workloads).join(', ')}.`);
  process.exit(2);
}
const rows: Row[] = [];
for (const name of names.length ? names : Object.keys(workloads)) {
  console.error(`${name} …`);
  rows.push(...(workloads[name] as (quick: boolean) => Row[])(quick));
}
const width = Math.max(...rows.map((row) => row.case.length));
for (const row of rows) {
  const value = `${row.value.toFixed(3)} ${row.unit}`;
  console.log(
    `${row.workload}  ${row.case.padEnd(width)}  ${row.subject.padEnd(6)}  ${value.padStart(16)}  ${row.ratio.toFixed(2)}×`,
  );
}
if (json) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
