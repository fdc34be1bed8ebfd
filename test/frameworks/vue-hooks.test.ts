import { screensOf } from './harness.js';
import { testHooks } from './hooks-binding.js';

testHooks('vue', screensOf('vue'), {}, { activity: false, wrong: false });
