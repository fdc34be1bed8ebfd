import type * as development from '../new-record.js';

// The production build has this file in place of `../new-record.ts`.

// @__NO_SIDE_EFFECTS__
export const checkNew: typeof development.checkNew = () => undefined;
