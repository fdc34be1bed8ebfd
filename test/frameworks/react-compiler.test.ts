import { testBinding } from './binding.js';

// Nothing that the React Compiler memoizes may be stale.
testBinding('react', undefined, { compiler: true });
