/**
 * The same for small bundles: proxies are given as classes, `proxy: { type: RestProxy, url }`. Embedded models, declared actions
 * and the types `dateonly`, `decimal` and `bigint` need the `Model` of the main entry; `define` says so.
 *
 * @module
 */
export * from './exports.js';
export { BaseModel as Model } from './model/base-model.js';
