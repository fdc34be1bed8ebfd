import { formMessages } from './messages/forms.js';
import { gridMessages } from './messages/grid.js';
import { outboxMessages } from './messages/outbox.js';
import { queryKeyMessages } from './messages/query-keys.js';
import { renderingMessages } from './messages/rendering.js';
import { testingMessages } from './messages/testing.js';
import {
  coreMessages,
  formatMessage as formatWith,
  type MessageKey,
  type MessageParams,
  type Messages,
} from './messages.js';

/**
 * The texts of all errors and issues, by key. `{name}` stands for a parameter.
 * Replace any of them with the `messages` option of a proxy or a model.
 */
export const messages: typeof coreMessages &
  typeof formMessages &
  typeof gridMessages &
  typeof outboxMessages &
  typeof queryKeyMessages &
  typeof renderingMessages &
  typeof testingMessages = {
  ...coreMessages,
  ...formMessages,
  ...gridMessages,
  ...outboxMessages,
  ...queryKeyMessages,
  ...renderingMessages,
  ...testingMessages,
};

/** The text of a key with its parameters filled in. `table` replaces built-in texts or adds others. */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return formatWith(key, params, { ...messages, ...table });
}
