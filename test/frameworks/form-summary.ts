import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Screens } from './harness.js';
import type {} from './screens/tasks.js';

/** Tests what a form promises, with a screen `form` whose output sums up its state and whose options change by `swap()`. */
export function testFormSummary(framework: string, screens: Screens): void {
  describe(`${framework}: a form`, () => {
    const openForm = async (): Promise<Page> => {
      const page = await screens.open('form');
      await page.getByLabel('Title').waitFor();
      return page;
    };
    const output = (page: Page) => page.getByRole('status').textContent();
    const errors = (page: Page) => page.getByRole('emphasis').allTextContents();

    test('shows the errors of a field when the user leaves it', async () => {
      const page = await openForm();
      await page.getByLabel('Title').fill('');
      await expect.poll(() => output(page)).toBe('dirty');
      expect(await errors(page)).toEqual([]);
      await page.getByLabel('Title').blur();
      await expect.poll(() => errors(page)).toHaveLength(1);
      expect(await page.getByLabel('Title').getAttribute('aria-invalid')).toBe('true');
      await page.getByRole('button', { name: 'Reset' }).click();
      await expect.poll(() => output(page)).toBe('valid');
      expect(await errors(page)).toEqual([]);
      expect(await page.getByLabel('Title').inputValue()).toBe('Loose');
    });

    test('sends one request for a double click, and shows the errors of its response', async () => {
      const page = await openForm();
      await page.getByLabel('Title').fill('Taken');
      const held = screens.server.hold();
      await page.getByRole('button', { name: 'Save' }).dblclick();
      await held.request;
      await expect.poll(() => output(page)).toBe('dirty valid saving submitted');
      held.answer({ status: 422, json: { errors: { title: ['is taken'] } } });
      await expect.poll(() => output(page)).toBe('dirty valid submitted validation');
      expect(await errors(page)).toEqual(['is taken']);
      expect(screens.server.lines).toHaveLength(1);
      await page.getByLabel('Title').fill('Free');
      screens.server.reply({ status: 204 });
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => output(page)).toBe('valid submitted');
      expect(screens.server.last.body).toEqual({ title: 'Free' });
    });

    test('sends a pending autosave when the screen goes', async () => {
      const page = await openForm();
      await page.evaluate(() => window.swap());
      await page.getByLabel('Title').fill('Saved');
      await expect.poll(() => output(page)).toBe('dirty valid');
      screens.server.reply({ status: 204 });
      await page.evaluate(() => window.leave());
      await expect.poll(() => page.evaluate(() => window.loose.dirty)).toBe(false);
      expect(screens.server.last.body).toEqual({ title: 'Saved' });
    });
  });
}
