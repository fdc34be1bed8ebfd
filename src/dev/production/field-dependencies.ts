import type * as development from '../field-dependencies.js';

// The production build has this file in place of `../field-dependencies.ts`.

// @__NO_SIDE_EFFECTS__
export const checkDependencies: typeof development.checkDependencies = () => undefined;
