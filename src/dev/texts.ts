import { valueMessages } from '../errors/messages/values.js';
import { fillIn, type MessageKey, type MessageParams, type Messages } from '../errors/messages.js';
import { getMember } from '../util/data-path.js';
import { addressMessages } from './messages/addresses.js';
import { definitionMessages } from './messages/definitions.js';
import { extensionMessages } from './messages/extensions.js';
import { optionMessages } from './messages/options.js';
import { queryMessages } from './messages/queries.js';
import { recordMessages } from './messages/records.js';
import { replyMessages } from './messages/replies.js';
import { storeMessages } from './messages/stores.js';
import type { WordedError } from './worded-error.js';

// The texts of errors in a development build. A production build has `production/texts.ts` in place of this file.

// The errors of some entries bring these texts with them.
export { formErrorMessages } from './messages/forms.js';
export { gridMessages } from './messages/grid.js';
export { outboxMessages } from './messages/outbox.js';
export { queryKeyMessages } from './messages/query-keys.js';
export { renderingMessages } from './messages/rendering.js';
export { testingMessages } from './messages/testing.js';

/** The texts that errors find by their key alone. */
const errorMessages: Messages = {
  ...addressMessages,
  ...queryMessages,
  ...replyMessages,
  ...definitionMessages,
  ...recordMessages,
  ...valueMessages,
  ...storeMessages,
  ...extensionMessages,
  ...optionMessages,
};

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
