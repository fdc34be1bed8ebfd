/** Texts about extensions of proxies. */
export const extensionMessages = {
  'rate-pause': '{method} {url} was not sent: {host} takes nothing before {until}',
  refresh: 'The sign-in could not be renewed: {why}',
  'refresh-own':
    '{method} {url} answered 401 to a call that `renew` of `auth()` itself made: make it with `fetch`, or by a proxy without `auth()`',
  'refresh-slow':
    '{method} {url} answered 401, and `renew` of `auth()` has not ended for {timeout} ms; if it waits for this call, make that call by a proxy without `auth()`',
} as const;
