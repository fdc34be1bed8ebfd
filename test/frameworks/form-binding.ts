import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { BuildOptions } from './build.js';
import type { Screens } from './harness.js';
import type {} from './screens/tasks.js';

/** Tests what `useForm` promises, with the screen `form` of a framework, built as `options` say. */
export function testForm(framework: string, screens: Screens, options: BuildOptions = {}): void {
  const input = (page: Page) => page.getByLabel('Title');
  const output = (page: Page) => expect.poll(() => page.getByRole('status').textContent());
  const errors = (page: Page) => expect.poll(() => page.getByRole('emphasis').allTextContents());
  const note = (page: Page) => expect.poll(() => page.getByRole('note').textContent());
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

  describe(`${framework}: a form`, () => {
    test('shows what the model finds once the input was left, and sends nothing while it finds something', async () => {
      const page = await screens.open('form', options);
      await output(page).toBe('saved');
      await input(page).fill('');
      await output(page).toBe('edited');
      await note(page).toBe(', wrong, 0');
      expect(await page.getByRole('emphasis').count()).toBe(0);
      await input(page).blur();
      await errors(page).toHaveLength(1);
      await note(page).toBe(', wrong, 1');
      expect(await input(page).getAttribute('aria-invalid')).toBe('true');
      await press(page, 'Save');
      await page.waitForFunction(() => document.querySelector('output')?.textContent === 'edited');
      expect(screens.server.requests).toEqual([]);
      await press(page, 'Reset');
      await errors(page).toEqual([]);
      await note(page).toBe('Loose, valid, 0');
      expect(await input(page).inputValue()).toBe('Loose');
    });

    test('shows the start of a save, its failure, the message of the server at the input, and success', async () => {
      const page = await screens.open('form', options);
      await input(page).fill('Taken');
      const held = screens.server.hold();
      await press(page, 'Save');
      await held.request;
      await output(page).toBe('saving');
      held.answer({ status: 422, json: { errors: { title: ['is taken'] } } });
      await output(page).toBe('validation');
      await errors(page).toEqual(['is taken']);
      await input(page).fill('Free');
      await output(page).toBe('edited');
      screens.server.reply({ json: { id: 900, title: 'Free', due: null } });
      await press(page, 'Save');
      await output(page).toBe('saved');
      expect(screens.server.requests.map(({ method, body }) => [method, body])).toEqual([
        ['PATCH', { title: 'Taken' }],
        ['PATCH', { title: 'Free' }],
      ]);
    });

    test('keeps the caret in the middle of a text', async () => {
      const page = await screens.open('form', options);
      await input(page).evaluate((element: HTMLInputElement) => {
        element.focus();
        element.setSelectionRange(2, 2);
      });
      await page.keyboard.type('abcdefghijklmnopqrst');
      expect(await input(page).inputValue()).toBe('Loabcdefghijklmnopqrstose');
      expect(await input(page).evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(22);
      await note(page).toBe('Loabcdefghijklmnopqrstose, valid, 0');
    });

    test('shows another record when that is given, and forgets which inputs were left', async () => {
      const page = await screens.open('form', options);
      await input(page).fill('');
      await input(page).blur();
      await errors(page).toHaveLength(1);
      await page.evaluate(() => window.swap());
      await note(page).toBe('Other, valid, 0');
      expect(await input(page).inputValue()).toBe('Other');
      await errors(page).toEqual([]);
      await input(page).fill('Typed');
      await note(page).toBe('Typed, valid, 0');
      expect(await page.evaluate(() => window.loose.title)).toBe('');
    });

    test('sends a pending autosave when it leaves the screen', async () => {
      const page = await screens.open('form', options);
      await input(page).fill('Typed');
      await output(page).toBe('edited');
      const held = screens.server.hold();
      await page.evaluate(() => window.leave());
      expect(await held.request).toMatchObject({ method: 'PATCH', body: { title: 'Typed' } });
      held.answer({ status: 204 });
    });
  });
}
