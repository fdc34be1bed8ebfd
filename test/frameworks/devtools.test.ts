import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

const vue = screensOf('vue');
const solid = screensOf('solid');

test('Vue Devtools shows operations, their states and a time line, without secrets', async () => {
  const page = await vue.open('devtools', { mode: 'development' });
  await page.locator('body[data-ready]').waitFor({ state: 'attached' });
  const tree = () =>
    page.evaluate(`api.getInspectorTree({ inspectorId: 'repose', filter: '' })`) as Promise<
      { label: string; children: { id: string; label: string }[] }[]
    >;
  await expect.poll(async () => (await tree())[0]?.children.length).toBe(3);
  const [operations, stores] = await tree();
  expect(operations?.children.map(({ label }) => label)).toEqual([
    ...['read of task 98, failed (http)', 'read of task 99, failed (http)', 'read of task, 1 row'],
  ]);
  expect(stores?.children.map(({ label }) => label)).toEqual(['task, store 1']);
  const state = await page.evaluate(
    `api.getInspectorState({ inspectorId: 'repose', nodeId: 'operation-1' }).then((state) => JSON.stringify(state))`,
  );
  expect(state).toContain('The address of the collection');
  expect(state).not.toContain('pw-1');
  await expect.poll(() => page.evaluate('events.length')).toBe(6);
  expect(await page.evaluate('events.map(({ logType }) => logType)')).toContain('error');
});

test('TanStack Devtools shows the panel of the inspector', async () => {
  const page = await solid.open('devtools', { mode: 'development' });
  await page.locator('body[data-ready]').waitFor({ state: 'attached' });
  await page.getByRole('option', { name: /task 1/ }).waitFor();
  await page.evaluate('devtools.unmount()');
  expect(await page.locator('[data-repose-inspector]').count()).toBe(0);
});
