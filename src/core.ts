/**
 * The same for small bundles: proxies are given as classes, `proxy: { type: RestProxy, url }`. `Model` has no parts but
 * those that a subclass names, `static override readonly parts = [references, embedded]`; `define` says which part a declaration
 * needs. Only the `Model` of the main entry has a console form, and only its `Store` has `window()`.
 *
 * @module
 */
export * from './exports.js';
export { BaseModel as Model } from './model/base-model.js';
export { Store } from './store/store.js';
export { Session } from './sync/session.js';
