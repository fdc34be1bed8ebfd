import type * as development from '../made-options.js';

// The production build has this file in place of `../made-options.ts`.

// @__NO_SIDE_EFFECTS__
export const answerOptions: typeof development.answerOptions = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkMade: typeof development.checkMade = () => undefined;
