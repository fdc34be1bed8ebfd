import { describe, expect, test } from 'vitest';
import { screensOf } from './harness.js';
import { testHooks } from './hooks-binding.js';

const screens = screensOf('react');

testHooks('react', screens, {});
testHooks('react in StrictMode', screens, { mode: 'development' });
testHooks('react in StrictMode, compiled by the React Compiler', screens, { mode: 'development', compiler: true });

describe.each([
  ['as built', {}],
  ['in StrictMode', { mode: 'development' }],
  ['in StrictMode, compiled by the React Compiler', { mode: 'development', compiler: true }],
] as const)('react: a loaded record that suspends, %s', (_, options) => {
  test('is read once, and shows the fallback until it is there', async () => {
    const held = screens.server.hold();
    const page = await screens.open('hooks', options);
    await page.evaluate(() => window.show('suspended/7'));
    await held.request;
    expect(await page.getByRole('status').textContent()).toBe('waiting');
    held.answer({ json: { id: 7, no: 'seven' } });
    await expect.poll(() => page.getByRole('note').allTextContents()).toEqual(['seven', 'seven']);
    expect(screens.server.lines).toEqual(['GET /api/orders/7']);
  });

  test('throws its error to the boundary, and loads again when the boundary is reset', async () => {
    screens.server.reply({ status: 404 }, { json: { id: 7, no: 'seven' } });
    const page = await screens.open('hooks', options);
    await page.evaluate(() => window.show('suspended/7'));
    await expect.poll(() => page.getByRole('alert').getAttribute('title')).toBe('http');
    // For half a second, the boundary gets the same error again: React may render once more what has failed.
    await expect
      .poll(async () => {
        const reset = page.getByRole('button', { name: 'Reset' });
        if (await reset.isVisible()) await reset.click();
        return await page.getByRole('note').allTextContents();
      })
      .toEqual(['seven', 'seven']);
    expect(screens.server.lines).toEqual(['GET /api/orders/7', 'GET /api/orders/7']);
    screens.complaints.splice(0);
  });
});

describe.each([
  ['as built', {}],
  ['in StrictMode', { mode: 'development' }],
] as const)('react: a store whose dependency changes in a transition, %s', (_, options) => {
  test('stays on show, with its edits, until the transition is over', async () => {
    screens.server.always(() => ({ json: [{ id: 1, no: 'one' }], headers: { 'X-Total-Count': '1' } }));
    const page = await screens.open('hooks', options);
    await page.evaluate(() => window.show('transition'));
    await expect.poll(() => page.getByRole('status').textContent()).toBe('idle 1');
    const before = screens.server.lines.length;
    await page.getByRole('button', { name: 'Paid' }).click();
    for (const count of [0, 1, 2]) await page.getByRole('button', { name: `Rendered ${count}` }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Rendered 3' }).count()).toBe(1);
    expect(await page.getByRole('status').textContent()).toBe('idle 1');
    // StrictMode makes one store more, which is never on show.
    const open = await page.evaluate(() => window.made.filter(({ disposed }) => !disposed).length);
    expect(open).toBeGreaterThan(0);
    expect(await page.evaluate(() => window.made.length)).toBeLessThan(5);
    expect(screens.server.lines.length).toBe(before);
  });
});

describe.each([
  ['as built', {}],
  ['in StrictMode', { mode: 'development' }],
] as const)('react: a store that is made while a component renders, %s', (_, options) => {
  test.each(['list', 'status', 'store', 'suspense'])(
    'is told as a mistake by the hook for a %s, and ends',
    async (hook) => {
      screens.server.always(() => ({ json: [{ id: 1, no: 'one' }] }));
      const page = await screens.open('hooks', options);
      await page.evaluate((hook) => window.show(`wrong-store/${hook}`), hook);
      const alert = page.getByRole('alert');
      await expect.poll(() => alert.getAttribute('title')).toBe('definition');
      expect(await alert.textContent()).toContain('must be the same one at each render');
      expect(screens.server.lines.length).toBeLessThan(20);
      screens.complaints.splice(0);
    },
  );
});

describe.each([
  ['as built', {}],
  ['in StrictMode', { mode: 'development' }],
] as const)('react: a record that is made while a component renders, %s', (_, options) => {
  test.each(['useForm', 'useRecord', 'useField'])('is told as a mistake by %s', async (hook) => {
    const page = await screens.open('hooks', options);
    await page.evaluate((hook) => window.show(`wrong-record/${hook}`), hook);
    const [again, alert] = [page.getByRole('button', { name: 'Again' }), page.getByRole('alert')];
    // StrictMode renders twice, so that it is told at once.
    await again.or(alert).first().waitFor();
    if ((await again.count()) > 0) await again.click();
    await expect.poll(() => alert.getAttribute('title')).toBe('definition');
    expect(await alert.textContent()).toContain('The record of a hook must be the same one at each render');
    // React reports in the console what an error boundary has caught.
    await expect.poll(() => screens.complaints.length).toBeGreaterThan(0);
    screens.complaints.splice(0);
  });

  test('is no record that each click replaces', async () => {
    const page = await screens.open('hooks', options);
    await page.evaluate(() => window.show('replaced'));
    await page.waitForFunction(() => typeof window.replaceOrder === 'function');
    for (let id = 1; id < 12; id += 1) {
      await page.evaluate((id) => window.replaceOrder(id), id);
      await expect.poll(() => page.getByRole('status').textContent()).toBe(`n${id}`);
    }
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
