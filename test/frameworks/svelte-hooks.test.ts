import { screensOf } from './harness.js';
import { testHooks } from './hooks-binding.js';

testHooks('svelte', screensOf('svelte'), {}, { activity: false, wrong: false });
