import { expect, test } from 'vitest';
import { testBinding } from './binding.js';
import { testExample } from './example-tests.js';
import { testForm } from './form-binding.js';
import { codeWithoutScreen } from './guide-code.js';
import { testInputs } from './inputs-binding.js';

const screens = testBinding('svelte');
testForm('svelte', screens);
testExample('svelte', screens);
testInputs('svelte', screens, ['Model note', 'Model price', 'Model due', 'Field note', 'Field price', 'Field due']);

test('svelte: a list that waits for its first load is loaded once, and follows its store', async () => {
  const held = screens.server.hold();
  const page = await screens.open('suspense');
  const texts = () => expect.poll(() => page.getByRole('listitem').allTextContents());
  await held.request;
  expect(await page.getByRole('status').textContent()).toBe('waiting');
  held.answer({ json: [{ id: 1, title: 'One' }] });
  await texts().toEqual(['One']);
  await page.evaluate(() => window.swap());
  await texts().toEqual(['One', 'One']);
  await page.evaluate(() => void window.tasks.add({ id: 2, title: 'Two' }));
  await texts().toEqual(['One', 'Two', 'One', 'Two']);
  expect(await page.getByRole('status').count()).toBe(0);
  expect(screens.server.lines).toEqual(['GET /api/tasks']);
});

test('svelte: the error of the first load is thrown, and the next try loads again', async () => {
  screens.server.reply({ status: 500 }, { status: 401 }, { json: [{ id: 1, title: 'One' }] });
  const page = await screens.open('suspense');
  await page.getByRole('button', { name: 'Retry after http' }).click();
  await page.getByRole('button', { name: 'Retry after auth' }).click();
  await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
  expect(screens.server.lines).toHaveLength(3);
});

test('svelte: the code of the guide is that of the example and of compiled screens', () => {
  const example = (file: string) => `../../../examples/svelte/${file}`;
  const screens = [example('src/task-row.svelte'), 'svelte/guide-await.svelte', 'svelte/guide-form.svelte'];
  expect(codeWithoutScreen('svelte', 'svelte', screens)).toEqual([]);
  expect(codeWithoutScreen('svelte', 'js', [example('svelte.config.js')])).toEqual([]);
});
