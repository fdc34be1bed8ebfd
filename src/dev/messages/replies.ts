/** Texts about requests that got no answer, and about answers that cannot be used. */
export const replyMessages = {
  // No answer
  network:
    '{method} {url} got no answer: {why}. Check the connection, the address, and that the server admits this origin (CORS). `retry()` tries again by itself',
  'network-unconfirmed':
    '{method} {url} got no answer: {why}. The record may exist on the server now: look for it, then decide with $.settle(row), $.settle(null) or save({ repeat: true })',
  timeout: '{method} {url} took longer than {timeout} ms: set a longer `timeout` on the proxy, or ask for fewer rows',
  abort: '{method} {url} was aborted',
  // A status that is no success
  http: '{method} {url} answered {status}{detail}. Look at `error.body`, which holds the whole answer',
  'http-sign-in':
    '{method} {url} answered 401{detail}. Send credentials with `headers`; `auth()` renews those that have expired',
  'http-forbidden': '{method} {url} answered 403{detail}. Sign in as somebody who is allowed to do this',
  'http-not-found':
    '{method} {url} answered {status}{detail}. Check the id, and `url` and `api` of the proxy; the record may have been erased',
  'http-method':
    '{method} {url} answered {status}{detail}. Set a verb that the server takes with `actionMethods`, or check `url`',
  'http-type':
    '{method} {url} answered {status}{detail}. Set `Accept` and `Content-Type` in `headers` to what the server expects',
  'http-conflict':
    '{method} {url} answered {status}{detail}. The server has other data than this write expects: read the record again, or add `conflicts()` to `use` and decide with merge(), keepMine() or takeTheirs()',
  'http-clash':
    '{method} {url} answered 409{detail}. Another record, or a rule of the server, stands against this: change the values, and save again. If it means that the record has changed meanwhile, say so with `conflicts({ when })`',
  'http-condition':
    '{method} {url} answered 428{detail}. The server takes conditional writes only: add `etags()` to `use` of the proxy',
  'http-later':
    '{method} {url} answered {status}{detail}. The server cannot do this now: try again later, or add `retry()` to `use` of the proxy',
  'http-server':
    '{method} {url} answered {status}{detail}. The server has failed: its log tells why. `error.body` holds the whole answer',
  'http-refused':
    '{method} {url} answered {status}, and its body says that the request failed{detail}. Look at `error.body`; `reader.successProperty` names the member that says so',
  'http-no-row':
    '{method} {url} was answered with a success that changed no row{detail}. Check the id: the record may have been erased. `reader.affected` and `reader.empty` say which answers mean this',
  'http-validation': '{method} {url} answered {status}: {detail}',
  // A success that cannot be read
  'reply-json':
    '{method} {url} answered {status} with {what} instead of {format}: check `url`, which may lead to a web page instead of the API',
  'reply-depth':
    '{method} {url} answered {status} with data that is nested deeper than {most} levels: ask the server for fewer levels',
  'reply-empty':
    '{method} {url} answered null where rows were expected: check `url`, or give `reader.transform`, which turns null into what it means',
  'reply-row':
    '{method} {url}: row {row} is {what}, not an object. Set `reader.rootProperty`, or `reader.record`, to where the rows are',
  'reply-root':
    '{method} {url}: the answer has no rows at {place}, only {members}. Set `reader.rootProperty` to the member that holds them',
  'reply-count':
    '{method} {url} answered {status} without a number of rows, {shown}. Set `countUrl: { url, total }` to the place of the number',
  'reply-limit':
    '{method} {url}: the server sends at most {most} rows per request, but {limit} per page were asked for, so that rows between two pages would be missing. Set `pageSize` to at most {most}, or read on with `loadMore()`',
  'reply-page-size':
    '{method} {url}: the server sends pages of {size} rows, but pages of {limit} were asked for, so that later pages would be other rows. Set `pageSize` to {size}, or tell the server the size of pages with a parameter',
  'reply-next':
    '{method} {url}: the next page at {place} is {what}, where the text of an address or token was expected. Set `reader.nextProperty` to the place of this text{hint}, or correct the server',
  'reply-repeated':
    '{method} {url}: the server answered page {page} with its page {given} again. It pages in another way than `paging` of `laravel()` says: {remedy}',
  'reply-total':
    '{method} {url}: the total at {place} is {total}, where a whole number of at least {least} was expected. Correct the server or `reader.totalProperty`, or do without `reader.strict`',
  'reply-field':
    '{method} {url}: row {row}, {field} {why}. Correct the server or the type of the field, or do without `reader.strict`',
  'reply-unchanged':
    '{method} {url} answered 304, though it was not asked whether anything has changed: leave `If-None-Match` to `etags()`, and correct the server or cache in between',
  'reply-record': 'The server has no {model} with the id {id}: check the id. The record may have been erased',
  'reply-id':
    '{model} {asked} was answered with the record {got}, so nothing was changed here: check `url` of the proxy, and `idProperty` of the model{hint}',
  'reply-no-id':
    '{method} {url} answered {status} without an id{location}: the record may exist. Decide with $.settle(row), $.settle(null) or save({ repeat: true }), and let the server answer with the row or a `Location`',
  'reply-missing':
    '{method} {url} does not say what became of {model} {id}, which stays unsaved: let the server answer with one entry for each record, or remove `batchActions`',
  'reply-changed':
    '{method} {url} answered {status} without the row, so that it may have changed none: leave the header `Prefer` to the dialect, which asks for the row',
  'reply-action':
    '{method} {url} answered with a body that the schema `reply` refuses: {why}. Correct the schema or the server',
  // Redirects
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
  // Lists that are read while they arrive
  'stream-row':
    '{method} {url}: row {row}, at byte {offset}, is malformed ({why}). Rows before it were read: correct the server, and load again',
  'stream-end':
    '{method} {url}: the answer ends within row {row}, at byte {offset}. The connection broke, or the server failed while it sent: load again',
  'stream-rest':
    '{method} {url}: the answer is malformed behind row {row}, at byte {offset} ({why}). Correct the server, and load again',
  'stream-root':
    "{method} {url}: the answer holds '{path}' twice. Correct the server: rows that are read while they arrive must be in one list",
} as const;
