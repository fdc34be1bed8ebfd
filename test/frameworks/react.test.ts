import { describe, expect, test } from 'vitest';
import { testBinding } from './binding.js';
import { testExample } from './example-tests.js';
import { testForm } from './form-binding.js';
import { codeWithoutScreen } from './guide-code.js';
import { testInputs } from './inputs-binding.js';

const screens = testBinding('react');
testExample('react', screens);
testForm('react', screens);
testForm('react in StrictMode', screens, { mode: 'development' });

testInputs('react', screens, ['Field note']);
testInputs('react with the compiler in StrictMode', screens, ['Field note'], { mode: 'development', compiler: true });

test('react: a form whose outbox keeps its saves shows that the page is offline, and that it is back', async () => {
  const page = await screens.open('offline');
  const output = () => expect.poll(() => page.getByRole('status').textContent());
  const note = () => expect.poll(() => page.getByRole('note').textContent());
  await page.context().setOffline(true);
  await page.getByLabel('Text').fill('New');
  await page.getByRole('button', { name: 'Save' }).click();
  await output().toBe('queued');
  await note().toBe('1 changes are kept until you are online.');
  screens.server.reply({ json: { id: 1, text: 'New' } });
  await page.context().setOffline(false);
  await output().toBe('saved');
  expect(await page.getByRole('note').count()).toBe(0);
  expect(screens.server.lines).toEqual(['PATCH /api/notes/1']);
});

test.each(['production', 'development'] as const)(
  'react: an outbox that an effect makes is open in StrictMode, and makes way for the next user (%s)',
  async (mode) => {
    const page = await screens.open('user-outbox', { mode });
    const output = () => expect.poll(() => page.getByRole('status').textContent());
    const heading = () => expect.poll(() => page.getByRole('heading').textContent());
    await heading().toBe('Ada');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await output().toBe('queued');
    await page.getByRole('button', { name: 'Bob' }).click();
    await heading().toBe('Bob');
    // Nothing of the user before is shown or sent.
    await output().toBe('Old');
    screens.server.reply({ json: { id: 1, text: 'New' } });
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Save' }).click();
    await output().toBe('New');
    // The text shows what is edited, also before it is sent.
    await expect.poll(() => screens.server.lines).toEqual(['PATCH /api/notes/1']);
  },
);

test('react: the example keeps what is saved without a network, and sends it later', async () => {
  const page = await screens.open('examples/react');
  const title = page.getByLabel('Title', { exact: true }).first();
  await title.fill('Changed');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect.poll(() => page.getByRole('note').textContent()).toBe('1 to send when you are online');
  expect(await page.getByText('kept').count()).toBe(1);
  await page.context().setOffline(false);
  await expect.poll(() => page.getByRole('note').count()).toBe(0);
  await expect.poll(() => page.getByText('kept').count()).toBe(0);
  expect(await title.inputValue()).toBe('Changed');
});

test('react: the guide on working offline shows the code of this screen', () => {
  expect(codeWithoutScreen('offline', 'tsx', ['react/offline.tsx', 'react/user-outbox.tsx'])).toEqual([]);
});

describe('react: a list that suspends', () => {
  for (const mode of ['production', 'development'] as const) {
    test(`loads once, and shows the fallback of <Suspense> until the list is there (${mode})`, async () => {
      const held = screens.server.hold();
      const page = await screens.open('suspense', { mode });
      await held.request;
      expect(await page.getByRole('status').textContent()).toBe('waiting');
      expect(await page.getByTitle('Activity').textContent()).toBe('loading, 0 pending');
      held.answer({ json: [{ id: 1, title: 'One' }] });
      await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
      expect(await page.getByRole('status').count()).toBe(0);
      await page.evaluate(() => window.swap());
      await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One', 'One']);
      await page.evaluate(() => void window.tasks.add({ id: 2, title: 'Two' }));
      await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One', 'Two', 'One', 'Two']);
      expect(screens.server.lines).toEqual(['GET /api/tasks']);
    });
  }

  test('keeps the list while it is loaded again, also if that fails', async () => {
    screens.server.reply({ json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense');
    await page.getByRole('listitem').waitFor();
    const held = screens.server.hold();
    await page.evaluate(() => void window.tasks.reload().catch(() => undefined));
    await held.request;
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['One']);
    held.answer({ status: 500 });
    await expect.poll(() => page.getByTitle('Activity').textContent()).toBe('http, 0 pending');
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['One']);
  });

  test('does not ask again and again for a load that is refused, and shows the list when the application loads it', async () => {
    screens.server.reply({ json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense-refused');
    await page.getByRole('status').waitFor();
    // Time for React to render several times.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect.poll(() => page.getByTitle('Count').textContent()).toBe('1');
    expect(await page.getByRole('button').textContent()).toMatch(/^asked [1-3]$/);
  });

  test('throws the error of the first load to the error boundary, which loads again when it is reset', async () => {
    screens.server.reply({ status: 500 }, { status: 401 }, { json: [{ id: 1, title: 'One' }] });
    const page = await screens.open('suspense');
    await page.getByRole('button', { name: 'Retry after http' }).click();
    await page.getByRole('button', { name: 'Retry after auth' }).click();
    await expect.poll(() => page.getByRole('listitem').allTextContents()).toEqual(['One']);
    expect(screens.server.lines).toHaveLength(3);
    screens.complaints.splice(0);
  });
});
