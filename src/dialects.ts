/**
 * Dialects for families of servers. Each is a function that returns a `Dialect`; a bundle holds only those that it imports.
 *
 * @module
 */
export { type JsonServerOptions, jsonServer } from './dialect/json-server.js';
