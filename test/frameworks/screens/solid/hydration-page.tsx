import { hydrate } from 'solid-js/web';
import { List, openStore, push } from './hydration.js';

/** Takes the HTML of the server over; returns the texts at once and later, and whether the elements of the server have stayed. */
async function takeOver(state: string, isPushed: boolean): Promise<readonly unknown[]> {
  const store = openStore(state);
  if (isPushed) push(store, 2, 'two');
  const root = document.body;
  const elements = [...root.querySelectorAll('p, b, i')];
  hydrate(() => <List store={store} />, root);
  const first = root.textContent;
  push(store, 3, 'three');
  await undefined;
  return [first, root.textContent, elements.every((each) => root.contains(each))];
}
Object.assign(window, { takeOver });
