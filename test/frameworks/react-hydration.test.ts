import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

const screens = screensOf('react');

/** The HTML that the server has made of `useStore` and `useStatus`, of a list that it has whole, and of a first page. */
const WHOLE = ['["one",false,1,false,1,0]', '[false,true,1,0]'] as const;
const PAGE = ['["one",false,2,true,1,0]', '[false,true,2,0]'] as const;

/** The texts that React shows in the end of `useStore`, `useList` and `useStatus`. First it shows those of the server. */
const EXPECTED = {
  nothing: ['["one",false,1,false,1,0]', 'one', '[false,true,1,0]'],
  'a pushed row': ['["one,two",false,2,false,1,0]', 'one,two', '[false,true,2,0]'],
  'a new record': ['["one,new",false,1,false,1,1]', 'one,new', '[false,true,1,1]'],
  'a removed record': ['["none",false,1,false,1,1]', 'none', '[false,true,1,1]'],
  'a filter': ['["none",false,1,false,1,0]', 'none', '[false,true,1,0]'],
  'more rows': ['["one,more",false,2,false,2,0]', 'one,more', '[false,true,2,0]'],
  'a load': ['["one",false,1,false,1,0]', 'one', '[false,true,1,0]'],
  'a load that goes on': ['["one",false,1,false,1,0]', 'one', '[false,true,1,0]'],
} as const;

test.each(['production', 'development'] as const)(
  'what comes to a store between `hydrate()` and React does not throw the HTML of the server away (%s)',
  async (mode) => {
    const page = await screens.open('hydration', { mode });
    await page.getByRole('button', { name: 'Run' }).click();
    const lines = Object.entries(EXPECTED).flatMap(([name, [store, list, status]]) => {
      const [ofStore, ofStatus] = name === 'more rows' ? PAGE : WHOLE;
      return [
        `${name}, useStore: ${ofStore} > ${store}`,
        `${name}, useList: one > ${list}`,
        `${name}, useStatus: ${ofStatus} > ${status}`,
        `${name}, useSuspenseList: one > ${list}`,
      ];
    });
    const others = ['late part: [false,true,1,0]one > [false,true,2,1]one,two,new', 'own part: one,two'];
    const found = () => page.getByRole('listitem').allTextContents();
    await expect.poll(found, { timeout: 20_000 }).toEqual([...lines, ...others]);
  },
);
