import { randomBytes } from 'node:crypto';
import { Problem } from '../problem.js';

/** The reply to a sign-in, or to its renewal. */
export interface Grant {
  readonly token: string;
  /** Seconds for which the token is good. */
  readonly expiresIn: number;
  /** Good for new tokens, by `POST /app/renew`. */
  readonly renewal: string;
}

interface Token {
  readonly name: string;
  readonly renewal: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The users who are signed in: short tokens for requests, and renewals that bring new ones. */
export class SignIns {
  private readonly tokens: Map<string, Token> = new Map();
  private readonly renewals: Map<string, string> = new Map();

  constructor(
    private readonly expiresIn: number,
    private readonly now: () => Date,
  ) {}

  /** Signs a user in, who needs a name only. */
  open(name: unknown): Grant {
    if (typeof name !== 'string' || !/^\p{L}[\p{L} .'-]{0,39}$/u.test(name))
      throw new Problem(422, 'The name is not valid', { errors: { name: ['must be a name of 1 to 40 letters'] } });
    const renewal = randomText();
    this.renewals.set(renewal, name);
    return this.grant(name, renewal);
  }

  /** A new token for a renewal; throws a 401 for one that is not known, or not any more. */
  renew(renewal: unknown): Grant {
    const name = typeof renewal === 'string' ? this.renewals.get(renewal) : undefined;
    if (typeof renewal !== 'string' || name === undefined) throw unauthorized('The sign-in has ended; sign in again');
    return this.grant(name, renewal);
  }

  /** The name of the user of a request; throws a 401 without a good token. */
  nameOf(request: Request): string {
    const known = this.tokenOf(request);
    if (!known) throw unauthorized('Sign in first');
    if (known.expires > this.now().getTime()) return known.name;
    throw unauthorized('The sign-in has expired; renew it');
  }

  /** The user of a token, also of one that has expired: a situation concerns its requests as well. */
  clientOf(request: Request): string | undefined {
    return this.tokenOf(request)?.name;
  }

  /** The user of a renewal. */
  clientOfRenewal(renewal: unknown): string | undefined {
    return typeof renewal === 'string' ? this.renewals.get(renewal) : undefined;
  }

  /** Lets the tokens of a user expire; a renewal brings new ones. */
  expire(name: string): void {
    for (const [token, known] of this.tokens) if (known.name === name) this.tokens.set(token, { ...known, expires: 0 });
  }

  /** Signs out: ends the sign-in of a request, and no later one of the same user. */
  signOut(request: Request): void {
    const renewal = this.tokenOf(request)?.renewal;
    if (renewal === undefined) return;
    this.renewals.delete(renewal);
    for (const [token, known] of this.tokens)
      if (known.renewal === renewal) this.tokens.set(token, { ...known, expires: 0 });
  }

  /** Ends the sign-ins of a user: renewals are refused as well. */
  end(name: string): void {
    this.expire(name);
    for (const [renewal, known] of this.renewals) if (known === name) this.renewals.delete(renewal);
  }

  private tokenOf(request: Request): Token | undefined {
    const token = /^Bearer (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
    return token === undefined ? undefined : this.tokens.get(token);
  }

  private grant(name: string, renewal: string): Grant {
    const now = this.now().getTime();
    for (const [token, { expires }] of this.tokens) if (expires < now - FORGET_AFTER) this.tokens.delete(token);
    const token = randomText();
    this.tokens.set(token, { name, renewal, expires: now + this.expiresIn * 1000 });
    return { token, expiresIn: this.expiresIn, renewal };
  }
}

// Milliseconds after which an expired token is not known any more.
const FORGET_AFTER = 3_600_000;

function unauthorized(detail: string): Problem {
  return new Problem(401, detail, {}, { 'WWW-Authenticate': 'Bearer' });
}

function randomText(): string {
  return randomBytes(24).toString('base64url');
}
