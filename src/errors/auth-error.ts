import { HttpError } from './http-error.js';

/** The server asks who is there, or says no to them: 401, 403. */
export class AuthError extends HttpError<'auth'> {
  override readonly name = 'AuthError' as const;
  override readonly code = 'auth' as const;
}
