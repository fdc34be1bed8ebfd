import { readFile } from 'node:fs/promises';
import { idempotency, length, Model, plain, retry, Store } from 'repose';

const [url, file = new URL('../tasks.json', import.meta.url)] = process.argv.slice(2);
if (!url) throw new Error('The address of the tasks is missing: npm start -- http://localhost:3000/api/tasks');

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1, message: 'A task needs a title' })] },
    due: 'dateonly',
  },
  // With a key, a create can be sent again if its response was lost.
  proxy: { url, dialect: plain(), use: [idempotency(), retry()] },
}) {}

const rows = JSON.parse(await readFile(file, 'utf8')) as { title: string; due: string }[];
const tasks = new Store({ model: Task });
tasks.add(...rows);
const { outcomes, failures } = await tasks.sync({ concurrency: 4 });

for (const [index, { record, error }] of outcomes.entries()) {
  const end = error ? `${error.code}: ${error.message}` : `created as ${record.getId()}`;
  console.log(`Row ${index + 1}: ${end}`);
}
console.log(`${outcomes.length - failures.length} of ${rows.length} tasks created`);
if (failures.length > 0) process.exitCode = 1;
