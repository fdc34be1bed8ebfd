import { describe, expect, test } from 'vitest';
import { testBinding } from './binding.js';
import { testExample } from './example-tests.js';
import { testFormSummary } from './form-summary.js';
import { codeWithoutScreen } from './guide-code.js';
import { testInputs } from './inputs-binding.js';

// Angular marks all components above a listener of a template.
const screens = testBinding('angular', { row: 1, grid: 1 });
testFormSummary('angular', screens);
testExample('angular', screens);
testInputs('angular', screens, ['Field note']);

describe('angular: a list as a resource', () => {
  test('does not load by itself, and has the status of each load', async () => {
    const page = await screens.open('resource');
    const status = () => page.getByRole('status').textContent();
    const load = async () => {
      const held = screens.server.hold();
      await page.getByRole('button', { name: 'Load' }).click();
      await held.request;
      return held;
    };
    await expect.poll(status).toBe('idle, false, no value, 0, no error');
    expect(screens.server.lines).toEqual([]);

    const first = await load();
    await expect.poll(status).toBe('loading, true, no value, 0, no error');
    first.answer({ status: 500 });
    await expect.poll(status).toBe('error, false, no value, 0, http');

    const second = await load();
    second.answer({ json: [{ id: 1, title: 'One' }] });
    await expect.poll(status).toBe('resolved, false, value, 1, no error');

    const third = await load();
    await expect.poll(status).toBe('reloading, true, value, 1, no error');
    third.answer({ status: 401 });
    await expect.poll(status).toBe('error, false, value, 1, auth');
  });

  test('repeats the load that has failed, and loads more, without a rejection', async () => {
    const page = await screens.open('resource');
    const status = () => page.getByRole('status').textContent();
    const more = () => page.getByRole('emphasis').textContent();
    const press = (name: string) => page.getByRole('button', { name }).click();
    const rows = (...ids: number[]) => ({ json: ids.map((id) => ({ id, title: `Task ${id}` })) });
    screens.server.reply({ status: 500 }, rows(1));
    await press('Load');
    await expect.poll(status).toBe('error, false, no value, 0, http');
    await press('Try again');
    await expect.poll(status).toBe('resolved, false, value, 1, no error');
    screens.server.reply(rows(1, 2), { status: 500 }, rows(3, 4));
    await press('More');
    await expect.poll(more).toBe('2 ');
    await press('More');
    await expect.poll(more).toBe('2 http');
    await press('More');
    await expect.poll(more).toBe('4 ');
  });

  test('says of a view that its list is local', async () => {
    const page = await screens.open('resource');
    await expect.poll(() => page.getByRole('note').textContent()).toBe('local, false, true, false');
  });

  test('shows that a load was aborted, and reports a load that the program gets wrong', async () => {
    const page = await screens.open('resource');
    const held = screens.server.hold();
    await page.getByRole('button', { name: 'Load' }).click();
    await held.request;
    await page.evaluate(() => window.tasks.abort());
    await expect.poll(() => page.getByRole('status').textContent()).toBe('error, false, no value, 0, abort');
    expect(screens.complaints).toEqual([]);
    await page.evaluate(() => window.swap());
    await expect.poll(() => screens.complaints.splice(0)).toEqual([expect.stringContaining('has no proxy')]);
  });
});

test('angular: the guide shows the code of the example and of a screen', () => {
  const files = ['angular/guide.ts', '../../../examples/angular/src/app.ts'];
  expect(codeWithoutScreen('angular', 'typescript', files)).toEqual([]);
});
