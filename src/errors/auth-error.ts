import { HttpError } from './http-error.js';

/** The server asks for a sign-in (401), or does not allow the request to the user who is signed in (403). */
export class AuthError extends HttpError<'auth'> {
  override readonly name = 'AuthError' as const;
  override readonly code = 'auth' as const;
}
