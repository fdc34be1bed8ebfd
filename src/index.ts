/**
 * Typed records at REST: models, stores and proxies over any HTTP API.
 *
 * @module
 */
export * from './exports.js';
export { Model } from './model/model.js';
