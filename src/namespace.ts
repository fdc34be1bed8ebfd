/**
 * The dotted names of the specification: `import * as Lib from 'repose/namespace'`, then `Lib.data.proxy.Rest` or
 * `Lib.create('proxy.rest', config)`.
 *
 * @module
 */
export { create } from './namespace/create.js';
export * as data from './namespace/data.js';
