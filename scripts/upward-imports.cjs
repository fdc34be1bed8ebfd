/**
 * The imports that point upwards, from a file to one of a higher layer: of types only, unless `atRunTime` is set. Lint refuses a pair that is
 * not needed any more, and `budgets.json` a larger number of pairs.
 */
module.exports = [
  {
    why: 'The one file that sends is given the request.',
    from: ['http/send.ts'],
    to: ['operation/proxy-request.ts'],
  },
  {
    why: 'Dialects and extensions are given the proxy that uses them.',
    from: ['dialect/define-dialect.ts', 'dialect/dialect.ts', 'extension/extension.ts', 'extension/write-hook.ts'],
    to: ['proxy/data-proxy.ts'],
  },
  {
    why: 'A request tells hooks and errors which proxy sends it.',
    from: ['extension/extension.ts', 'extension/hooks.ts', 'http/send.ts'],
    to: ['proxy/ajax-proxy.ts'],
  },
  {
    why: 'A dialect sets options of its proxy.',
    from: ['dialect/plain.ts'],
    to: ['proxy/proxy-config.ts'],
  },
  {
    why: 'An error tells the response.',
    from: ['errors/request-errors.ts'],
    to: ['http/http-response.ts'],
  },
  {
    why: 'An error tells the operation that has failed, and its records.',
    from: ['errors/data-error.ts', 'errors/error-context.ts'],
    to: ['operation/operation.ts'],
  },
  {
    why: 'An error tells the records that could not be written.',
    from: ['errors/conflict-error.ts', 'errors/write-errors.ts'],
    to: ['operation/operation-record.ts'],
  },
  {
    why: 'A dialect and a query name the models to which fields refer.',
    from: ['dialect/json-api.ts', 'operation/reference-target.ts'],
    to: ['model/field.ts'],
  },
  {
    why: 'A store takes the session whose records it shows as an option.',
    from: ['store/sharing.ts', 'store/store-config.ts'],
    to: ['sync/session.ts'],
  },
  {
    why: 'The state of an outbox is shown by hooks of every framework.',
    from: ['binding/outbox-binding.ts'],
    to: ['outbox/outbox-config.ts', 'outbox/outbox-status.ts'],
  },
  {
    why: 'Checks of developer mistakes look at models and records. They live apart, so that a production build leaves them out.',
    from: ['dev/class-fields.ts'],
    to: ['model/symbols.ts', 'operation/operation-record.ts'],
    atRunTime: true,
  },
];
