/**
 * A REST server over a SQLite file, to try the package with.
 *
 * @module
 */
export { DemoServerError, type DemoServerErrorCode } from './errors.js';
export type { Listening } from './listen.js';
export { createDemoServer, type DemoServer, type DemoServerOptions } from './server.js';
