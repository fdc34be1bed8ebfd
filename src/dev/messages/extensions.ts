/** Texts about what extensions of proxies refuse or could not do. */
export const extensionMessages = {
  'write-captured':
    '{what} was not changed: it is what a write sends, which was captured. Set fields of `write.records` instead, in a `write` hook with a layer below `LAYERS.checks`',
  'extension-captured':
    "{what} was not changed by the extension '{name}': it is what a write sends, which was captured. Set fields of `write.records` instead, in a `write` hook with a layer below `LAYERS.checks`",
  'extension-failed':
    "The `write` hook of the extension '{name}' failed: {why}. Correct it: `error.cause` has its stack. `write.frozen` and `write.changes` can be read only; to send other values, set fields of `write.records` in a hook with a layer below `LAYERS.checks`",
  'rate-pause':
    '{method} {url} was not sent: {host} takes no request before {until}. Try again then, or raise `maxWait` of `rateLimit()`',
  refresh: 'The sign-in could not be renewed: {why}. Sign in again, or check `renew` of `auth()`',
  'refresh-own':
    '{method} {url} answered 401 to a call that `renew` of `auth()` itself made: make it with `fetch`, or by a proxy without `auth()`',
  'refresh-slow':
    '{method} {url} answered 401, and `renew` of `auth()` has not ended for {timeout} ms; if it waits for this call, make that call by a proxy without `auth()`',
} as const;
