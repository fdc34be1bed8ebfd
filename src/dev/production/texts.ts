import { errorPage } from '../../errors/error-page.js';
import { fillIn, type MessageKey, type MessageParams, type Messages } from '../../errors/message-format.js';
import { getMember } from '../../util/data-path.js';
import type { WordedError } from '../texts.js';

// The texts of errors in a production build, in place of `../texts.ts`: what was asked, and where to read about it.

export const devtoolsMessages: Messages = {};
export const formErrorMessages: Messages = {};
export const gridMessages: Messages = {};
export const historyMessages: Messages = {};
export const liveMessages: Messages = {};
export const outboxMessages: Messages = {};
export const providerMessages: Messages = {};
export const queryKeyMessages: Messages = {};
export const renderingMessages: Messages = {};
export const testingMessages: Messages = {};
export const treeMessages: Messages = {};

/**
 * The text of an error: that of `table` for its reason, or else its code, its method, address and status, and the address of
 * the page about it. Until the code is known, the reason stands for it.
 */
export function errorText(
  reason: MessageKey,
  params: MessageParams,
  table: Messages | undefined,
  code: string = reason,
): string {
  const text = getMember(table, reason);
  if (text !== undefined) return fillIn(text, params);
  const { method, url, status } = params;
  return [code, method, url, status, errorPage(reason)].filter((part) => part !== undefined).join(' ');
}

/**
 * Called at the end of the constructor of errors. The constructor of a subclass sets the code only after it, so the text is made when it
 * is first read.
 */
export function completeLater(error: WordedError): void {
  const { message: first } = error;
  const setMessage = (value: string): void => {
    Object.defineProperty(error, 'message', { value, writable: true, configurable: true });
  };
  Object.defineProperty(error, 'message', {
    configurable: true,
    get() {
      setMessage(first);
      return error.inWords(undefined).message;
    },
    set: setMessage,
  });
}
