import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

const screens = screensOf('react');

// Each line has what the server has rendered, 'differs' if React has thrown that away, and what is shown in the end.
test.each(['production', 'development'] as const)(
  'rows that come before React do not throw the HTML away (%s)',
  async (mode) => {
    const page = await screens.open('hydration', { mode });
    await page.getByRole('button', { name: 'Run' }).click();
    const found = () => expect.poll(() => page.getByRole('listitem').allTextContents());
    await found().toEqual([
      'loaded before, useStore: [[],true,null,true,1] > [["one"],false,2,true,1]',
      'loaded before, useList: none > one',
      'loaded before, useStatus: [false,false,null] > [false,true,2]',
      'pushed before, useStore: [["one"],false,1,false,1] > [["one","two"],false,2,false,1]',
      'pushed before, useList: one > one,two',
      'pushed before, useStatus: [false,true,1] > [false,true,2]',
      'loaded more before, useStore: [["one"],false,2,true,1] > [["one","new"],false,2,false,2]',
      'loaded more before, useList: one > one,new',
      'loaded more before, useStatus: [false,true,2] > [false,true,2]',
    ]);
  },
);
