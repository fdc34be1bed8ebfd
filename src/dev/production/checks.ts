import type * as development from '../checks.js';

// The production build has this file in place of `../checks.ts`: nothing is looked for. The annotations let bundlers drop each call with its rules.

// @__NO_SIDE_EFFECTS__
export const checkOptions: typeof development.checkOptions = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkCall: typeof development.checkCall = () => undefined;
// @__NO_SIDE_EFFECTS__
export const inDevelopment: typeof development.inDevelopment = () => undefined;
// @__NO_SIDE_EFFECTS__
export const warn: typeof development.warn = () => undefined;
// @__NO_SIDE_EFFECTS__
export const rejectMistake: typeof development.rejectMistake = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkGiven: typeof development.checkGiven = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkNames: typeof development.checkNames = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkValues: typeof development.checkValues = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkNoOptions: typeof development.checkNoOptions = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkEvent: typeof development.checkEvent = () => undefined;
// @__NO_SIDE_EFFECTS__
export const checkHookNames: typeof development.checkHookNames = () => undefined;
// @__NO_SIDE_EFFECTS__
export const hasOnly: typeof development.hasOnly = () => true;
// @__NO_SIDE_EFFECTS__
export const isMisspelt: typeof development.isMisspelt = () => false;
// @__NO_SIDE_EFFECTS__
export const hintOf: typeof development.hintOf = () => '';
// @__NO_SIDE_EFFECTS__
export const typeHint: typeof development.typeHint = () => '';
// @__NO_SIDE_EFFECTS__
export const fieldHint: typeof development.fieldHint = () => '';
// @__NO_SIDE_EFFECTS__
export const propertyHint: typeof development.propertyHint = () => '';
// @__NO_SIDE_EFFECTS__
export const sendableRemedy: typeof development.sendableRemedy = () => '';
// @__NO_SIDE_EFFECTS__
export const valueRemedy: typeof development.valueRemedy = () => '';
// @__NO_SIDE_EFFECTS__
export const remedyOf: typeof development.remedyOf = () => undefined;
