import { screensOf } from './harness.js';
import { testHooks } from './hooks-binding.js';

testHooks('solid', screensOf('solid'), {}, { activity: false, wrong: false });
