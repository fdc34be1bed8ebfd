/** The reason why the demo server could not start or continue. */
export type DemoServerErrorCode = 'port-in-use' | 'listen-failed' | 'database-unusable' | 'bad-option' | 'closed';

/** A failure of the server itself, described in one line; failed requests get a problem reply instead. */
export class DemoServerError extends Error {
  override readonly name = 'DemoServerError' as const;
  readonly code: DemoServerErrorCode;

  constructor(code: DemoServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
