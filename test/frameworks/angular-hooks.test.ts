import { screensOf } from './harness.js';
import { testHooks } from './hooks-binding.js';

testHooks('angular', screensOf('angular'), {}, { activity: false, wrong: false });
