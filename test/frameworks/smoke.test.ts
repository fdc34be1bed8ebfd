import { describe, expect, test } from 'vitest';
import type { Framework } from './build.js';
import { screensOf } from './harness.js';
import { rendersDuring, rendersOf, typeSlowly } from './renders.js';
import type {} from './screens/rows.js';

/** Parts that are rendered again by 20 typed characters. Angular marks all components above a listener of a template. */
const typing: Readonly<Record<Framework, { row: number; grid: number }>> = {
  react: { row: 0, grid: 0 },
  vue: { row: 0, grid: 0 },
  svelte: { row: 0, grid: 0 },
  solid: { row: 0, grid: 0 },
  angular: { row: 20, grid: 20 },
};

describe.each(Object.keys(typing) as Framework[])('%s', (framework) => {
  const screens = screensOf(framework);

  test('shows 200 rows, each rendered once', async () => {
    const page = await screens.open('smoke');
    await page.getByLabel('Title 200', { exact: true }).waitFor();
    expect(await rendersOf(page)).toEqual({ cell: 200, row: 200, grid: 1 });
  });

  test('keeps the caret where 20 characters are typed, and renders one cell for each', async () => {
    const page = await screens.open('smoke');
    const input = page.getByLabel('Title 100', { exact: true });
    await input.evaluate((element: HTMLInputElement) => {
      element.focus();
      element.setSelectionRange(4, 4);
    });
    const renders = await rendersDuring(page, () => typeSlowly(page, 'abcdefghijklmnopqrst'));
    expect(await input.inputValue()).toBe('Row abcdefghijklmnopqrstnumber 100');
    expect(await input.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(24);
    expect(renders).toEqual({ cell: 20, ...typing[framework] });
  });

  test('renders one cell for an edit from outside', async () => {
    const page = await screens.open('smoke');
    const input = page.getByLabel('Title 100', { exact: true });
    await input.waitFor();
    const renders = await rendersDuring(page, () => page.evaluate(() => window.edit(100, 'Changed')));
    expect(await input.inputValue()).toBe('Changed');
    expect(renders).toEqual({ cell: 1, row: 0, grid: 0 });
  });
});

describe('the React Compiler', () => {
  const screens = screensOf('react');

  test('compiles the components of a screen on demand', async () => {
    const compiled = await screens.build('smoke', { compiler: true });
    expect(compiled.script).toMatch(/react.compiler-runtime/);
    expect((await screens.build('smoke')).script).not.toMatch(/react.compiler-runtime/);
    const page = await screens.open('smoke', { compiler: true });
    await page.getByLabel('Title 200', { exact: true }).waitFor();
    const renders = await rendersDuring(page, () => page.getByLabel('Title 7', { exact: true }).fill('Changed'));
    expect(renders).toEqual({ cell: 1, row: 0, grid: 0 });
  });
});
