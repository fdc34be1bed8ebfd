import type * as development from '../class-fields.js';

// The production build has this file in place of `../class-fields.ts`: no further record is made to look for mistakes.

// @__NO_SIDE_EFFECTS__
export const checkBeforeFirst: typeof development.checkBeforeFirst = () => false;
// @__NO_SIDE_EFFECTS__
export const checkClassFields: typeof development.checkClassFields = () => undefined;
