import {
  devtoolsMessages,
  formErrorMessages,
  gridMessages,
  historyMessages,
  liveMessages,
  outboxMessages,
  providerMessages,
  queryKeyMessages,
  renderingMessages,
  testingMessages,
  treeMessages,
} from '../dev/messages/entries.js';
import {
  addressMessages,
  definitionMessages,
  extensionMessages,
  optionMessages,
  queryMessages,
  recordMessages,
  replyMessages,
  storeMessages,
} from '../dev/messages/main.js';
import { withPages } from './error-page.js';
import { formatMessage as formatWith, type MessageKey, type MessageParams, type Messages } from './message-format.js';
import { changesMessages, plainChangesMessages } from './messages/changes.js';
import { formMessages } from './messages/forms.js';
import { valueMessages } from './messages/value-texts.js';
import { userMessages } from './user-message.js';

/**
 * The texts of all errors and issues, by key. `{name}` stands for a parameter, and the text of an error ends with the address of the page
 * about it. Replace any of them with the `messages` option of a proxy or a model. A production build has the texts of errors only if an
 * application imports this table, and gives it as `messages` of its base model or proxy.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ messages }) {} // `messages` of 'repose/messages'
 * ```
 */
export const messages: typeof addressMessages &
  typeof queryMessages &
  typeof replyMessages &
  typeof definitionMessages &
  typeof recordMessages &
  typeof valueMessages &
  typeof changesMessages &
  typeof plainChangesMessages &
  typeof storeMessages &
  typeof extensionMessages &
  typeof optionMessages &
  typeof formMessages &
  typeof devtoolsMessages &
  typeof formErrorMessages &
  typeof gridMessages &
  typeof historyMessages &
  typeof liveMessages &
  typeof outboxMessages &
  typeof providerMessages &
  typeof queryKeyMessages &
  typeof renderingMessages &
  typeof testingMessages &
  typeof treeMessages &
  typeof userMessages = {
  ...withPages({
    ...addressMessages,
    ...queryMessages,
    ...replyMessages,
    ...definitionMessages,
    ...recordMessages,
    ...storeMessages,
    ...extensionMessages,
    ...optionMessages,
    ...devtoolsMessages,
    ...formErrorMessages,
    ...gridMessages,
    ...historyMessages,
    ...liveMessages,
    ...outboxMessages,
    ...providerMessages,
    ...queryKeyMessages,
    ...renderingMessages,
    ...testingMessages,
    ...treeMessages,
  }),
  ...formMessages,
  ...valueMessages,
  ...changesMessages,
  ...plainChangesMessages,
  ...userMessages,
};

/**
 * The text of a key with its parameters filled in. `table` replaces built-in texts or adds others.
 *
 * @example
 * ```ts
 * formatMessage('required'); // 'is required'
 * formatMessage('required', {}, { required: 'muss angegeben werden' }); // 'muss angegeben werden'
 * ```
 */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return formatWith(key, params, { ...messages, ...table });
}
