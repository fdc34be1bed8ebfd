import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import type { BuildOptions, Framework } from './build.js';
import { type Screens, screensOf } from './harness.js';
import { rendersDuring, rendersOf, typeSlowly } from './renders.js';
import type {} from './screens/tasks.js';

const row = (id: number) => ({ id, title: `Task number ${id}`, due: '2026-11-23T00:00:00Z' });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));

/**
 * Tests what each binding promises, with the screens `tasks` and `loose` of a framework. `typing` is how often rows and grids are
 * rendered for each character that is typed into a cell. `options` say how the screens are built.
 */
export function testBinding(
  framework: Framework,
  typing: { row: number; grid: number } = { row: 0, grid: 0 },
  options: BuildOptions = {},
): Screens {
  const screens = screensOf(framework);
  const openTasks = async (count = 3): Promise<Page> => {
    screens.server.reply({ json: rows(count) });
    const page = await screens.open('tasks', options);
    await title(page, count).waitFor();
    return page;
  };
  const title = (page: Page, id: number) => page.getByLabel(`Title ${id}`, { exact: true });
  const state = (page: Page, id: number) => page.getByTestId(`state-${id}`);
  const texts = (page: Page) => page.getByRole('listitem').allTextContents();
  /** Saves a task, and waits until the save has ended in one way or the other. */
  const save = (page: Page, id: number) =>
    page.evaluate(async (id) => {
      await window.tasks
        .getById(id)
        ?.save()
        .catch(() => undefined);
    }, id);

  describe(`${framework}: a list of 200 records`, () => {
    test('renders each row once', async () => {
      const page = await openTasks(200);
      expect(await rendersOf(page)).toMatchObject({ cell: 200, row: 200 });
    });

    test('renders one cell for an edit', async () => {
      const page = await openTasks(200);
      const renders = await rendersDuring(page, () =>
        page.evaluate(() => window.tasks.getById(100)?.set('title', 'Changed')),
      );
      expect(await title(page, 100).inputValue()).toBe('Changed');
      expect(renders).toEqual({ cell: 1, row: 0, grid: 0 });
    });

    test('keeps the caret where 20 characters are typed', async () => {
      const page = await openTasks(200);
      const input = title(page, 100);
      await input.evaluate((element: HTMLInputElement) => {
        element.focus();
        element.setSelectionRange(5, 5);
      });
      const renders = await rendersDuring(page, () => typeSlowly(page, 'abcdefghijklmnopqrst'));
      expect(await input.inputValue()).toBe('Task abcdefghijklmnopqrstnumber 100');
      expect(await input.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(25);
      expect(await page.evaluate(() => window.tasks.getById(100)?.title)).toBe('Task abcdefghijklmnopqrstnumber 100');
      expect(renders).toEqual({ cell: 20, row: 20 * typing.row, grid: 20 * typing.grid });
    });

    test('renders one row for an added record, and none for a removed one', async () => {
      const page = await openTasks(200);
      const added = await rendersDuring(page, () =>
        page.evaluate(() => void window.tasks.insert(100, { title: 'New' })),
      );
      expect(added).toEqual({ cell: 1, row: 1, grid: 1 });
      expect(await page.getByRole('listitem').count()).toBe(201);
      const removed = await rendersDuring(page, () =>
        page.evaluate(() => void window.tasks.remove(...window.tasks.getRange().filter(({ id }) => id < 10))),
      );
      expect(removed).toEqual({ cell: 0, row: 0, grid: 1 });
    });
  });

  describe(`${framework}: loads and saves`, () => {
    test('shows the start and the end of a load', async () => {
      const held = screens.server.hold();
      const page = await screens.open('tasks', options);
      const status = page.getByRole('status');
      await held.request;
      await expect.poll(() => status.textContent()).toBe('loading, 0 pending');
      held.answer({ json: rows(1) });
      await title(page, 1).waitFor();
      await expect.poll(() => status.textContent()).toBe('idle, 0 pending');
    });

    test('shows that a load failed, and that the next one succeeded', async () => {
      screens.server.reply({ status: 500 }, { json: rows(1) });
      const page = await screens.open('tasks', options);
      const status = page.getByRole('status');
      await expect.poll(() => status.textContent()).toBe('http, 0 pending');
      await page.evaluate(() => void window.tasks.reload());
      await title(page, 1).waitFor();
      await expect.poll(() => status.textContent()).toBe('idle, 0 pending');
    });

    test('shows an edit, the start and the end of its save', async () => {
      const page = await openTasks();
      await title(page, 2).fill('Changed');
      await expect.poll(() => state(page, 2).textContent()).toBe('edited');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('idle, 1 pending');
      const held = screens.server.hold();
      // The text in an input that has the focus is the user's, whatever the server answers.
      await title(page, 2).blur();
      await page.evaluate(() => void window.tasks.getById(2)?.save());
      await held.request;
      await expect.poll(() => state(page, 2).textContent()).toBe('saving');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('saving, 1 pending');
      held.answer({ json: { ...row(2), title: 'Changed by the server' } });
      await expect.poll(() => state(page, 2).textContent()).toBe('saved');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('idle, 0 pending');
      expect(await title(page, 2).inputValue()).toBe('Changed by the server');
    });

    test.each([
      ['a server error', { status: 500 }, 'http'],
      ['a missing login', { status: 401 }, 'auth'],
      ['a conflict', { status: 412 }, 'conflict'],
      ['a web page instead of JSON', { text: '<!doctype html>', headers: { 'Content-Type': 'text/html' } }, 'read'],
      ['a connection that breaks off', { drop: true }, 'network'],
    ])('shows a save that fails by %s', async (_, reply, code) => {
      const page = await openTasks();
      await title(page, 1).fill('Changed');
      screens.server.reply(reply);
      await save(page, 1);
      await expect.poll(() => state(page, 1).textContent()).toBe(code);
      await expect.poll(() => page.getByRole('status').textContent()).toBe('idle, 1 pending');
      expect(await title(page, 1).inputValue()).toBe('Changed');
    });

    test('shows the messages of a field that the server and the model refuse', async () => {
      const page = await openTasks();
      await title(page, 1).fill('Taken');
      screens.server.reply({ status: 422, json: { errors: { title: ['is taken'] } } });
      await save(page, 1);
      await expect.poll(() => page.getByRole('emphasis').allTextContents()).toEqual(['is taken']);
      await title(page, 1).fill('');
      await expect
        .poll(() => page.getByRole('emphasis').allTextContents())
        .toEqual([expect.not.stringContaining('is taken')]);
      await title(page, 1).fill('Free');
      await expect.poll(() => page.getByRole('emphasis').count()).toBe(0);
    });

    test('shows a save that fails offline, and one that succeeds after it', async () => {
      screens.answerFrom(restServer({ collections: { '/api/tasks': rows(3) } }));
      const page = await screens.open('tasks', options);
      await title(page, 1).fill('Changed');
      await page.context().setOffline(true);
      await save(page, 1);
      await expect.poll(() => state(page, 1).textContent()).toBe('network');
      await page.context().setOffline(false);
      await save(page, 1);
      await expect.poll(() => state(page, 1).textContent()).toBe('saved');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('idle, 0 pending');
    });
  });

  describe(`${framework}: a record that is in no store`, () => {
    const openLoose = async (): Promise<Page> => {
      const page = await screens.open('loose', options);
      await page.getByLabel('Title').waitFor();
      return page;
    };
    const output = (page: Page) => page.getByRole('status').textContent();

    test('shows an edit and its rejection', async () => {
      const page = await openLoose();
      await page.getByLabel('Title').fill('Edited');
      await expect.poll(() => output(page)).toBe('edited Edited');
      await page.evaluate(() => window.loose.reject());
      await expect.poll(() => output(page)).toBe('saved Loose');
      expect(await page.getByLabel('Title').inputValue()).toBe('Loose');
    });

    test('shows a date once for each change', async () => {
      const page = await openLoose();
      expect((await rendersOf(page)).cell).toBe(1);
      const renders = await rendersDuring(page, () => page.getByLabel('Due').fill('2027-01-02'));
      expect(await page.evaluate(() => window.loose.due?.toISOString())).toBe('2027-01-02T00:00:00.000Z');
      expect(renders.cell).toBe(1);
      const same = () => page.evaluate(() => void window.loose.set('due', new Date('2027-01-02T00:00:00Z')));
      expect((await rendersDuring(page, same)).cell).toBe(0);
    });

    test('follows another record and another list that are shown instead', async () => {
      const page = await openLoose();
      await page.evaluate(() => void window.tasks.add({ id: 1, title: 'One' }, { id: 2, title: 'Two' }));
      await expect.poll(() => texts(page)).toEqual(['One', 'Two']);
      await page.evaluate(() => window.swap());
      await expect.poll(() => output(page)).toBe('saved Other');
      await expect.poll(() => texts(page)).toEqual(['Two']);
      await page.evaluate(() => window.loose.set('title', 'Edited'));
      await page.evaluate(() => void window.tasks.add({ id: 3, title: 'Three' }));
      await expect.poll(() => texts(page)).toEqual(['Two', 'Three']);
      expect(await output(page)).toBe('saved Other');
    });

    test('has no listeners when the screen has gone', async () => {
      const page = await openLoose();
      const watched = () =>
        page.evaluate(() =>
          [window.loose.$.field('title'), window.loose.$.field('due'), window.loose.$.state].map(
            (source) => (source as unknown as { hasListeners: boolean }).hasListeners,
          ),
        );
      expect(await watched()).toEqual([true, true, true]);
      await page.evaluate(() => window.leave());
      await expect.poll(watched).toEqual([false, false, false]);
    });
  });

  return screens;
}
