import { testBinding } from './binding.js';
import { testForm } from './form-binding.js';

// Nothing that the React Compiler memoizes may be stale.
const screens = testBinding('react', undefined, { compiler: true });
testForm('react', screens, { compiler: true });
