import type * as development from '../console-form.js';

// The production build has this file in place of `../console-form.ts`.

// @__NO_SIDE_EFFECTS__
export const showInConsole: typeof development.showInConsole = () => undefined;
