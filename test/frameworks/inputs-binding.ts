import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { BuildOptions } from './build.js';
import type { Screens } from './harness.js';
import type {} from './screens/orders.js';

const ROW = {
  ...{ id: 7, price: 12, express: false, due: '2026-11-23T00:00:00Z', at: '2026-11-23T00:00:00Z' },
  ...{ size: 'S', mail: 'ada@example.com' },
};

/**
 * Tests the inputs of a form, with the screen `inputs` of a framework. `others` are the labels of further inputs for the same fields, which
 * are bound in another way.
 */
export function testInputs(
  framework: string,
  screens: Screens,
  others: readonly string[] = [],
  options: BuildOptions = {},
): void {
  const input = (page: Page, label: string) => page.getByLabel(label, { exact: true });
  const values = (page: Page) =>
    expect.poll(async () => JSON.parse((await page.getByRole('status').textContent()) ?? '') as object);
  const labelled = (field: string) => others.filter((label) => label.toLowerCase().endsWith(field.toLowerCase()));

  /** Opens the screen with a form that saves by itself, and with a clock that stands still until the test moves it. */
  const openAutosave = async () => {
    const page = await screens.open('inputs', options);
    await page.clock.install();
    await page.evaluate(() => sessionStorage.setItem('autosave', '500'));
    await page.reload();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    return page;
  };
  /** Answers with the row that was sent, with its text trimmed and in capitals. */
  const answer = ({ body }: { readonly body: { readonly note?: string | null } }) => ({
    json: { ...ROW, ...body, note: body.note?.trim().toUpperCase() ?? null },
  });
  const answered = (page: Page) =>
    expect.poll(() => page.evaluate(() => window.order.dirty || window.order.$.saving)).toBe(false);

  describe(`${framework}: the inputs of a form`, () => {
    test.each(['Note', ...labelled('note')])(
      'keep the text as typed, whatever the server makes of it, until they are left: %s',
      async (label) => {
        const page = await screens.open('inputs', options);
        screens.server.always(answer);
        for (const part of ['hello ', 'world']) {
          await input(page, label).pressSequentially(part);
          await page.evaluate(() => window.order.save());
          await answered(page);
        }
        expect(await input(page, label).inputValue()).toBe('hello world');
        expect(screens.server.requests.map(({ body }) => body)).toEqual([{ note: 'hello ' }, { note: 'hello world' }]);
        expect(await page.evaluate(() => window.order.note)).toBe('HELLO WORLD');
        if (label.startsWith('Model')) return;
        await input(page, label).blur();
        await expect.poll(() => input(page, label).inputValue()).toBe('HELLO WORLD');
      },
    );

    test.each(['Note', ...labelled('note')])(
      'keep the text as typed in any order of keys, compositions, answers and autosaves: %s',
      async (label) => {
        const page = await openAutosave();
        screens.server.always(answer);
        const note = input(page, label);
        const hasForm = !label.startsWith('Field');
        const pass = () =>
          hasForm
            ? page.clock.runFor(500)
            : page.evaluate(() => void (window.order.dirty && !window.order.$.saving && window.order.save()));
        const method = await page.context().newCDPSession(page);
        const step = fc.constantFrom('key', 'space', 'compose', 'confirm', 'time', 'answer', 'late answer');
        const [first, ...others] = fc.sample(fc.array(step, { minLength: 10, maxLength: 16 }), 3);
        await note.focus();
        let [confirmed, candidate] = ['', ''];
        const confirm = async () => {
          if (candidate) await method.send('Input.insertText', { text: '家' });
          confirmed += candidate && '家';
          candidate = '';
        };
        const always = ['key', 'space', 'time', 'answer', 'key', 'compose', 'time', 'confirm', 'late answer'] as const;
        for (const each of [...always, ...(first ?? []), ...others.flat()]) {
          if (each === 'key' || each === 'space') {
            await confirm();
            const key = each === 'key' ? 'x' : ' ';
            await page.keyboard.type(key);
            confirmed += key;
          } else if (each === 'compose') {
            candidate += 'か';
            const at = candidate.length;
            await method.send('Input.imeSetComposition', { text: candidate, selectionStart: at, selectionEnd: at });
          } else if (each === 'confirm') await confirm();
          else if (each === 'time') await pass();
          else if (candidate === '' && each === 'answer') {
            await pass();
            await answered(page);
          } else if (candidate === '' && (await page.evaluate(() => window.order.dirty && !window.order.$.saving))) {
            const held = screens.server.hold();
            await pass();
            const request = await held.request;
            await page.keyboard.type('y');
            confirmed += 'y';
            held.answer(answer(request));
            await expect.poll(() => page.evaluate(() => window.order.$.saving)).toBe(false);
          }
          expect(await note.inputValue()).toBe(confirmed + candidate);
        }
        await confirm();
        await expect.poll(() => page.evaluate(() => window.order.$.saving)).toBe(false);
        await pass();
        await answered(page);
        expect(await note.inputValue()).toBe(confirmed);
        const sent = screens.server.requests.map(({ body }) => (body as { readonly note: string }).note);
        expect([sent.at(-1), hasForm ? sent.filter((text) => text.includes('か')) : []]).toEqual([confirmed, []]);
      },
    );

    test.each(['Price', ...labelled('price')])('send a number as it was typed key by key: %s', async (label) => {
      const page = await screens.open('inputs', options);
      const price = input(page, label);
      for (const [keys, value] of [
        ['12.05', 12.05],
        ['0.5', 0.5],
        ['1.50', 1.5],
        ['1000', 1000],
        ['12.', 12],
      ] as const) {
        await price.fill('');
        await price.pressSequentially(keys);
        expect(await price.inputValue()).toBe(keys);
        await values(page).toMatchObject({ price: value });
      }
      await price.fill('');
      await price.pressSequentially('12.05');
      screens.server.reply({ status: 204 });
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => screens.server.requests.map(({ body }) => body)).toEqual([{ price: 12.05 }]);
    });

    test('keep the caret in the middle of a number', async () => {
      const page = await screens.open('inputs', options);
      const price = input(page, 'Price');
      await price.fill('1.50');
      await price.evaluate((element: HTMLInputElement) => element.setSelectionRange(1, 1));
      await price.pressSequentially('234');
      expect(await price.inputValue()).toBe('1234.50');
      expect(await price.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(4);
    });

    test('leave what is no number as it was typed, report it, and send nothing', async () => {
      const page = await screens.open('inputs', options);
      const price = input(page, 'Price');
      await price.fill('');
      await price.pressSequentially('1,5');
      await price.blur();
      expect(await price.inputValue()).toBe('1,5');
      await expect.poll(() => page.getByRole('emphasis').textContent()).toBe('must be a number');
      expect(await price.getAttribute('aria-invalid')).toBe('true');
      const described = await price.getAttribute('aria-describedby');
      expect(await page.getByRole('emphasis').getAttribute('id')).toBe(described);
      await page.getByRole('button', { name: 'Save' }).click();
      await price.fill('2');
      await expect.poll(() => page.getByRole('emphasis').textContent()).toBe('');
      expect(await price.getAttribute('aria-invalid')).toBe('false');
      expect(screens.server.requests).toEqual([]);
    });

    test('are null again when they are emptied, where they were null before', async () => {
      const page = await screens.open('inputs', options);
      await input(page, 'Note').fill('Two\nlines');
      await values(page).toMatchObject({ note: 'Two\nlines' });
      await input(page, 'Note').fill('');
      await values(page).toMatchObject({ note: null });
      expect(await page.evaluate(() => window.order.dirty)).toBe(false);
    });

    test('are a date, a check box and a select, which may be emptied', async () => {
      const page = await screens.open('inputs', options);
      expect(await input(page, 'Due').inputValue()).toBe('2026-11-23');
      await input(page, 'Express').check();
      await input(page, 'Due').fill('');
      await input(page, 'Size').selectOption('M');
      await values(page).toMatchObject({ express: true, due: null, size: 'M' });
      await input(page, 'Due').fill('2027-01-02');
      await input(page, 'Express').uncheck();
      await values(page).toMatchObject({ express: false, due: '2027-01-02T00:00:00.000Z' });
      expect(await input(page, 'Due').inputValue()).toBe('2027-01-02');
    });

    test('show and edit an instant in the zone of the user by `localDateTime`', async () => {
      const page = await screens.open('inputs', options);
      const method = await page.context().newCDPSession(page);
      await method.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
      await page.reload();
      const at = input(page, 'At');
      expect(await at.evaluate(({ type, value, min }: HTMLInputElement) => ({ type, value, min }))).toEqual({
        ...{ type: 'datetime-local', value: '2026-11-22T19:00', min: '2025-12-31T19:00' },
      });
      await at.fill('2026-12-24T18:30');
      await values(page).toMatchObject({ at: '2026-12-24T23:30:00.000Z' });
      expect(await at.inputValue()).toBe('2026-12-24T18:30');
      await page.evaluate(() => window.order.set('at', new Date('2026-12-24T12:05:09Z')));
      await expect.poll(() => at.inputValue()).toBe('2026-12-24T07:05:09');
      await at.fill('');
      await values(page).toMatchObject({ at: null });
      await at.fill('2026-12-24T07:05:09');
      await values(page).toMatchObject({ at: '2026-12-24T12:05:09.000Z' });
      await at.focus();
      await page.keyboard.press('Delete');
      expect(await at.evaluate((element: HTMLInputElement) => element.validity.badInput)).toBe(true);
      await values(page).toMatchObject({ at: '2026-12-24T12:05:09.000Z' });
    });

    test('do not touch a date of which the user has typed a part, and report it', async () => {
      const page = await screens.open('inputs', options);
      const due = input(page, 'Due');
      await due.focus();
      await page.keyboard.press('Delete');
      expect(await due.evaluate((element: HTMLInputElement) => element.validity.badInput)).toBe(true);
      await values(page).toMatchObject({ due: '2026-11-23T00:00:00.000Z' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.evaluate(() => window.order.set('note', 'Shown'));
      await values(page).toMatchObject({ note: 'Shown' });
      expect(await due.evaluate((element: HTMLInputElement) => element.validity.badInput)).toBe(true);
      expect(screens.server.requests).toEqual([]);
    });

    test('have the attributes that fields and validators give', async () => {
      const page = await screens.open('inputs', options);
      const attributes = (label: string, ...names: string[]) =>
        input(page, label).evaluate(
          (element, names) => Object.fromEntries(names.map((name) => [name, element.getAttribute(name)])),
          names,
        );
      expect(await attributes('Price', 'type', 'name', 'min', 'max', 'inputmode')).toEqual({
        ...{ type: 'text', name: 'price', min: '0.5', max: '1000', inputmode: 'decimal' },
      });
      expect(await attributes('Due', 'type', 'min')).toEqual({ type: 'date', min: '2026-01-01' });
      expect(await attributes('Express', 'type')).toEqual({ type: 'checkbox' });
      expect(await attributes('Mail', 'type', 'maxlength')).toEqual({ type: 'email', maxlength: '40' });
      expect(await input(page, 'Mail').evaluate((element: HTMLInputElement) => element.required)).toBe(true);
      expect(await input(page, 'Price').evaluate((element: HTMLInputElement) => element.required)).toBe(false);
    });

    test.each(labelled('due'))('show the day of a date: %s', async (label) => {
      const page = await screens.open('inputs', options);
      expect(await input(page, label).inputValue()).toBe('2026-11-23');
      await input(page, label).fill('2027-01-02');
      await values(page).toMatchObject({ due: '2027-01-02T00:00:00.000Z' });
    });
  });
}
