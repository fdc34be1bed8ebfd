import { describe, expect, test } from 'vitest';
import { testBinding } from './binding.js';
import { testExample } from './example-tests.js';
import { testFormSummary } from './form-summary.js';
import { codeWithoutScreen } from './guide-code.js';
import { testInputs } from './inputs-binding.js';

const screens = testBinding('solid');
testFormSummary('solid', screens);
testExample('solid', screens);
testInputs('solid', screens, ['Field note']);

describe('solid: a list that suspends', () => {
  test('loads once, and shows the fallback of <Suspense> until the list is there', async () => {
    const held = screens.server.hold();
    const page = await screens.open('suspense');
    await held.request;
    expect(await page.getByRole('status').textContent()).toBe('waiting');
    held.answer({ json: [{ id: 1, title: 'One' }] });
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
    expect(await page.getByRole('status').count()).toBe(0);
    await page.evaluate(() => window.swap());
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One', 'One']);
    await page.evaluate(() => void window.tasks.add({ id: 2, title: 'Two' }));
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One', 'Two', 'One', 'Two']);
    expect(screens.server.lines).toEqual(['GET /api/tasks']);
  });

  test('does not suspend where the list is loaded', async () => {
    screens.server.reply({ json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense');
    await page.getByRole('listitem').waitFor();
    // The fallback would be in the page before the call returns.
    const fallback = await page.evaluate(() => {
      window.swap();
      return document.querySelector('[role=status]');
    });
    expect(fallback).toBeNull();
  });

  test('keeps the list while it is loaded again', async () => {
    screens.server.reply({ json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense');
    await page.getByRole('listitem').waitFor();
    const held = screens.server.hold();
    await page.evaluate(() => void window.tasks.reload());
    await held.request;
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['One']);
    held.answer({ json: [{ id: 1, title: 'Two' }] });
    await expect.poll(() => page.evaluate(() => window.tasks.getAt(0)?.title)).toBe('Two');
  });

  test('throws the error of the first load to <ErrorBoundary>, whose reset loads again', async () => {
    screens.server.reply({ status: 500 }, { status: 401 }, { json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense');
    await page.getByRole('button', { name: 'Retry after http' }).click();
    await page.getByRole('button', { name: 'Retry after auth' }).click();
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
    expect(screens.server.lines).toHaveLength(3);
  });

  test('throws to <ErrorBoundary> that the first load was not sent', async () => {
    const page = await screens.open('suspense-refused');
    await page.getByRole('button', { name: 'Retry after abort' }).waitFor();
    expect(screens.server.lines).toEqual([]);
  });
});

test('solid: the guide shows the code of the example and of a screen', () => {
  const files = ['solid/guide.tsx', '../../../examples/solid/src/app.tsx'];
  expect(codeWithoutScreen('solid', 'tsx', files)).toEqual([]);
});
