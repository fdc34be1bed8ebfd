/**
 * The same for small bundles: proxies are given as classes, `proxy: { type: RestProxy, url }`. Embedded models, declared actions,
 * namings by name and the types `dateonly`, `decimal` and `bigint` need the `Model` of the main entry; `define` says so. Only
 * that one has `references()`, `related()` and a console form, and only its `Store` has `window()`. Error bodies are read as
 * problem+json and its like; `readProblem: readAnyProblem` reads those of all families.
 *
 * @module
 */
export * from './exports.js';
export { BaseModel as Model } from './model/base-model.js';
export { Store } from './store/store.js';
