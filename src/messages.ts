/**
 * The texts of all errors and issues, for applications whose production build shows them: given as `messages` of a base model or proxy.
 *
 * @module
 */

export { formatMessage, messages } from './errors/all-messages.js';
export type { MessageKey, MessageParams, Messages } from './errors/message-format.js';
