/**
 * Warnings about servers that ignore what was asked for. Meant for development.
 *
 * @module
 */
export { type DiagnosticsConfig, diagnostics } from './extensions/answer-checks.js';
