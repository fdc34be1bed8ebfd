import { expect, test } from 'vitest';
import { testBinding } from './binding.js';
import { testExample } from './example-tests.js';
import { testForm } from './form-binding.js';
import { codeWithoutScreen } from './guide-code.js';
import { testInputs } from './inputs-binding.js';

const screens = testBinding('vue');
testForm('vue', screens);
testExample('vue', screens);
testInputs('vue', screens, ['Model note', 'Model price', 'Model due', 'Field note', 'Field price', 'Field due']);

test('vue: a list that waits for its first load is loaded once, and follows its store', async () => {
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

test('vue: the error of the first load is thrown, and the next try loads again', async () => {
  screens.server.reply({ status: 500 }, { status: 401 }, { json: [{ id: 1, title: 'One' }] });
  const page = await screens.open('suspense');
  await page.getByRole('button', { name: 'Retry after http' }).click();
  await page.getByRole('button', { name: 'Retry after auth' }).click();
  await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
  expect(screens.server.lines).toHaveLength(3);
});

test('vue: `ref` and `reactive` hold records and stores themselves', async () => {
  const page = await screens.open('wrapped');
  const output = () => expect.poll(() => page.getByRole('status').textContent());
  await output().toBe('Loose true true 0');
  await page.getByRole('button', { name: 'Edit' }).click();
  await output().toBe('Edited true true 0');
  expect(await page.evaluate(() => window.tasks.pending.created.map(({ title }) => title))).toEqual(['Edited']);
});

test('vue: the code of the guide is that of the example and of compiled screens', () => {
  const example = (file: string) => `../../../examples/vue/${file}`;
  const screens = [example('src/task-row.vue'), example('src/task-actions.vue'), 'vue/guide-form.vue'];
  expect(codeWithoutScreen('vue', 'vue', screens)).toEqual([]);
});

test('vue: on a server nothing is subscribed to, and the page is hydrated as it is', async () => {
  screens.server.reply({ json: [{ id: 1, title: 'One' }] });
  const page = await screens.open('server', { mode: 'development' });
  const watched = () =>
    page.evaluate(() =>
      [window.loose.$.field('title'), window.loose.$.state, window.tasks.list].map(
        (source) => (source as unknown as { hasListeners: boolean }).hasListeners,
      ),
    );
  const output = () => expect.poll(() => page.getByRole('status').textContent());
  await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
  await output().toBe('saved Loose');
  expect(await watched()).toEqual([false, false, false]);
  const input = await page.getByLabel('Title').elementHandle();
  await page.evaluate(() => window.swap());
  await page.getByLabel('Title').fill('Typed');
  await output().toBe('edited Typed');
  expect(await input?.evaluate((element) => element.isConnected)).toBe(true);
  expect(await watched()).toEqual([true, true, false]);
});
