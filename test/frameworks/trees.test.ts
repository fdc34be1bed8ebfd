import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { screensOf } from './harness.js';
import { rendersDuring } from './renders.js';
import type {} from './screens/folders.js';

const rows = [
  { id: 1, parentId: 0, name: 'music' },
  { id: 2, parentId: 1, name: 'rock' },
  { id: 3, parentId: 1, name: 'jazz' },
  { id: 4, parentId: 0, name: 'films' },
];

/** The visible rows, each with its level and whether it is expanded. */
const shown = (page: Page) =>
  expect.poll(() =>
    page
      .getByRole('treeitem')
      .evaluateAll((all) =>
        all.map(
          (row) =>
            `${row.getAttribute('aria-level')} ${row.textContent?.trim()} ${row.getAttribute('aria-expanded') ?? 'leaf'}`,
        ),
      ),
  );

describe.each(['react', 'vue'] as const)('%s: a tree', (framework) => {
  const screens = screensOf(framework);

  test('loads the children of a node when it is expanded, and shows them below it', async () => {
    screens.answerFrom(restServer({ collections: { '/api/folders': rows } }));
    const page = await screens.open('tree');
    await shown(page).toEqual(['1 films false', '1 music false']);
    await page.getByRole('button', { name: 'music' }).click();
    await shown(page).toEqual(['1 films false', '1 music true', '2 jazz false', '2 rock false']);
    await page.getByRole('button', { name: 'jazz' }).click();
    await shown(page).toEqual(['1 films false', '1 music true', '2 jazz leaf', '2 rock false']);
    await page.getByRole('button', { name: 'music' }).click();
    await shown(page).toEqual(['1 films false', '1 music false']);
  });

  test('shows moves and new records at once, and renders only the rows that a check mark changes', async () => {
    screens.answerFrom(restServer({ collections: { '/api/folders': rows } }));
    const page = await screens.open('tree');
    await shown(page).toEqual(['1 films false', '1 music false']);
    await page.evaluate(() => window.tree.expandAll());
    await shown(page).toEqual(['1 films leaf', '1 music true', '2 jazz leaf', '2 rock leaf']);
    const renders = await rendersDuring(page, () => page.getByLabel('Check jazz').check());
    expect(renders).toMatchObject({ row: 2 });
    await page.evaluate(() => {
      const { tree } = window;
      const [films, music] = tree.list.get().slice();
      tree.move(music!, films!);
      tree.append(music!, { name: 'opera' });
      return tree.expand(films!);
    });
    await shown(page).toEqual(['1 films true', '2 music true', '3 jazz leaf', '3 opera leaf', '3 rock leaf']);
  });

  test('shows the error of a node whose children could not be loaded', async () => {
    const answers = restServer({ collections: { '/api/folders': rows } });
    screens.answerFrom(answers);
    const page = await screens.open('tree');
    await shown(page).toEqual(['1 films false', '1 music false']);
    screens.server.reply({ status: 500 });
    await page.getByRole('button', { name: 'music' }).click();
    await expect.poll(() => page.getByRole('treeitem').nth(1).getAttribute('title')).toBe('http');
    screens.complaints.splice(0);
  });
});
