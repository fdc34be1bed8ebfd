import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Screens } from './harness.js';

/** Uses the example `examples/FRAMEWORK`, the screen of its guide, as a reader would. */
export function testExample(framework: string, screens: Screens): void {
  const titles = (page: Page) =>
    expect.poll(() =>
      page
        .getByLabel('Title', { exact: true })
        .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
    );
  const status = (page: Page) => expect.poll(async () => (await page.getByRole('status').textContent())?.trim());
  const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
  const row = (page: Page, index: number) => page.getByRole('listitem').nth(index);

  test(`${framework}: the example sorts, filters and pages`, async () => {
    const page = await screens.open(`examples/${framework}`);
    await titles(page).toEqual(['Ask for offers', 'Book flights', 'Call the bank', 'Draw the plan']);
    await status(page).toBe('6 tasks, 0 to save');
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await press(page, 'Next');
    await titles(page).toEqual(['Empty the bin', 'Feed the cat']);
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.getByLabel('Order').selectOption('id');
    await titles(page).toEqual(['Call the bank', 'Book flights', 'Draw the plan', 'Ask for offers']);
    await page.getByText('Page 1').waitFor();
    await page.getByLabel('Open tasks only').check();
    await titles(page).toEqual(['Call the bank', 'Draw the plan', 'Empty the bin']);
    await page.getByLabel('Open tasks only').uncheck();
    await titles(page).toEqual(['Call the bank', 'Book flights', 'Draw the plan', 'Ask for offers']);
  });

  test(`${framework}: the example adds, edits, saves and removes tasks, and shows what is wrong`, async () => {
    const page = await screens.open(`examples/${framework}`);
    await status(page).toBe('6 tasks, 0 to save');
    await page.getByLabel('New task').fill('Added');
    await press(page, 'Add');
    await titles(page).toEqual(['Added', 'Ask for offers', 'Book flights', 'Call the bank', 'Draw the plan']);
    await status(page).toBe('6 tasks, 1 to save');
    await row(page, 0).getByRole('button', { name: 'Save' }).click();
    await status(page).toBe('7 tasks, 0 to save');

    await row(page, 1).getByLabel('Title', { exact: true }).fill('');
    await expect.poll(() => row(page, 1).getByRole('emphasis').allTextContents()).toEqual(['A task needs a title']);
    await status(page).toBe('7 tasks, 1 to save');
    await row(page, 1).getByRole('button', { name: 'Save' }).click();
    // The field says it already.
    expect(await row(page, 1).getByText('needs a title').count()).toBe(1);
    await row(page, 1).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => row(page, 1).getByLabel('Title', { exact: true }).inputValue()).toBe('Ask for offers');
    expect(await row(page, 1).getByRole('strong').count()).toBe(0);

    await row(page, 2).getByLabel('Done').uncheck();
    await row(page, 2).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => row(page, 2).getByText('saved').count()).toBe(1);
    await row(page, 3).getByRole('button', { name: 'Remove' }).click();
    await titles(page).toEqual(['Added', 'Ask for offers', 'Book flights', 'Draw the plan']);
    await status(page).toBe('6 tasks, 0 to save');
  });
}
