/**
 * The entry for small bundles. It exports the same classes as the main entry, with these differences: a proxy type is a class
 * (`proxy: { type: RestProxy, url }`); `Model` has only the parts that a subclass lists
 * (`static override readonly parts = [references, embedded]`), and `define` throws an error that names a missing part; records have no
 * console form.
 *
 * @module
 */
export * from './exports.js';
export { BaseModel as Model } from './model/base-model.js';
