/**
 * The same without the table of proxies by name: the smallest bundle. Give proxies as classes, `proxy: { type: RestProxy, url }`.
 *
 * @module
 */
export * from './exports.js';
export { BaseModel as Model } from './model/base-model.js';
