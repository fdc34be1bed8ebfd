/**
 * Help for tests: a contract suite for proxies, and a `fetch` with faults.
 *
 * @module
 */
export {};
