/** Texts about requests without an answer, and answers. */
export const replyMessages = {
  network: '{method} {url} got no answer: {why}',
  'network-unconfirmed': '{method} {url} got no answer: {why}. The record may exist now',
  timeout: '{method} {url} took longer than {timeout} ms',
  abort: '{method} {url} was aborted',
  http: '{method} {url} answered {status}{detail}',
  'reply-json': '{method} {url} answered {status} with {what} instead of JSON',
  'reply-depth':
    '{method} {url} answered {status} with data that is nested deeper than {most} levels: ask the server for fewer levels',
  'reply-empty': '{method} {url} answered null',
  'reply-row': '{method} {url}: row {row} is {what}',
  'reply-root': "{method} {url}: no '{path}' among {members}: set `reader.rootProperty`",
  'reply-no-id':
    '{method} {url} answered {status} without an id{location}: the record may exist. Decide with $.settle(row), $.settle(null) or save({ repeat: true })',
  'reply-id': '{model} {asked} was answered with record {got}: nothing was changed here{hint}',
  'reply-field': '{method} {url}: row {row}, {field} {why}',
  'reply-unchanged': '{method} {url} answered 304 to an unconditional request',
  'reply-missing': '{method} {url} does not account for this record: it stays unsaved',
  'reply-redirected':
    '{method} {url} was redirected to {target}: it {outcome}. A redirected write is not followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'reply-redirected-read':
    '{method} {url} was redirected to {target}. Only a read that is sent by GET is followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'reply-redirected-away':
    '{method} {url} was redirected to {target}, on another origin. Use that address, or add its origin to `trustLinks`',
  'reply-redirected-often':
    '{method} {url} was redirected more than {count} times, at last to {target}. Use the final address, or correct the server',
  'reply-redirected-nowhere':
    '{method} {url} answered {status}, which redirects to {target}. Correct the `Location` that the server sends, or use the final address',
  'reply-record': 'There is no record {id}',
  'stream-row': '{method} {url}: row {row}, at byte {offset}, is malformed ({why})',
  'stream-end': '{method} {url}: the answer ends within row {row}, at byte {offset}',
  'stream-rest': '{method} {url}: what follows row {row}, at byte {offset}, is malformed ({why})',
  'stream-root': "{method} {url}: '{path}' stands there twice",
} as const;
