import { withPages } from '../errors/error-page.js';
import { fillIn, type MessageKey, type MessageParams, type Messages } from '../errors/message-format.js';
import { valueMessages } from '../errors/messages/value-texts.js';
import { getMember } from '../util/data-path.js';
import * as entries from './messages/entries.js';
import {
  addressMessages,
  definitionMessages,
  extensionMessages,
  optionMessages,
  queryMessages,
  recordMessages,
  replyMessages,
  storeMessages,
} from './messages/main.js';

/** An error whose text can be made anew. */
export interface WordedError {
  message: string;
  /** Makes the text anew from what the error says now. */
  inWords(messages: undefined): { readonly message: string };
}

// The texts of errors in a development build. A production build has `production/texts.ts` in place of this file.

// The errors of some entries bring these texts with them.
export const devtoolsMessages: Messages = /* @__PURE__ */ withPages(entries.devtoolsMessages);
export const formErrorMessages: Messages = /* @__PURE__ */ withPages(entries.formErrorMessages);
export const gridMessages: Messages = /* @__PURE__ */ withPages(entries.gridMessages);
export const historyMessages: Messages = /* @__PURE__ */ withPages(entries.historyMessages);
export const liveMessages: Messages = /* @__PURE__ */ withPages(entries.liveMessages);
export const outboxMessages: Messages = /* @__PURE__ */ withPages(entries.outboxMessages);
export const providerMessages: Messages = /* @__PURE__ */ withPages(entries.providerMessages);
export const queryKeyMessages: Messages = /* @__PURE__ */ withPages(entries.queryKeyMessages);
export const renderingMessages: Messages = /* @__PURE__ */ withPages(entries.renderingMessages);
export const testingMessages: Messages = /* @__PURE__ */ withPages(entries.testingMessages);
export const treeMessages: Messages = /* @__PURE__ */ withPages(entries.treeMessages);

/** The texts that errors find by their key alone. */
const errorMessages: Messages = /* @__PURE__ */ withPages({
  ...addressMessages,
  ...queryMessages,
  ...replyMessages,
  ...definitionMessages,
  ...recordMessages,
  ...valueMessages,
  ...storeMessages,
  ...extensionMessages,
  ...optionMessages,
});

/** The text of an error: that of `table` for its reason, or else the built-in one, with its parameters filled in. */
export function errorText(
  reason: MessageKey,
  params: MessageParams,
  table: Messages | undefined,
  // Named by the texts of a production build only.
  _code?: string,
): string {
  return fillIn(getMember(table, reason) ?? getMember(errorMessages, reason) ?? reason, params);
}

/** Called at the end of the constructor of errors. */
export function completeLater(_error: WordedError): void {
  // Texts do not name the code, so they are complete.
}
