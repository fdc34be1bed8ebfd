import { generateHydrationScript, renderToString } from 'solid-js/web';
import { List, serve } from './hydration.js';

const { store, state } = await serve();
const html = renderToString(() => <List store={store} />);
console.log(JSON.stringify({ html, state, head: generateHydrationScript() }));
