/** Texts of errors that only policies have. */
export const policyTexts: Readonly<Record<string, string>> = {
  'policy-option': "'{option}' is no option; known: {known}",
  'policy-value': '{option} must be {expected}, not {value}',
  'rate-pause': '{method} {url} was not sent: {host} takes nothing before {until}',
  refresh: 'The sign-in could not be renewed: {why}',
  'refresh-own':
    '{method} {url} answered 401 to a call that `onUnauthorized` itself made: make it with `fetch`, or by a proxy without `onUnauthorized`',
  'refresh-slow':
    '{method} {url} answered 401, and `onUnauthorized` has not ended for {timeout} ms; if it waits for this call, make it by a proxy without `onUnauthorized`',
};
