import { Value } from './value.js';

/** The answer of the server to a sign-in. */
interface SignedIn {
  readonly token: string;
  readonly expiresIn: number;
  readonly renewal: string;
}

/** Whether a client is signed in: `asking` when somebody has to sign in again before its requests go on. */
export type SignInState = 'signed-in' | 'asking';

// Milliseconds before its end at which a token is renewed.
const RENEW_BEFORE = 5000;

// #region credentials
/** The token of one client. It is renewed when it has ended; if that is refused, requests wait until somebody signs in again. */
export class Credentials {
  readonly state: Value<SignInState> = new Value<SignInState>('signed-in');
  /** The time at which the token was renewed last. */
  readonly renewedAt: Value<Date | undefined> = new Value<Date | undefined>(undefined);
  private grant: SignedIn | undefined;
  private expiresAt = 0;
  private renewing: Promise<unknown> | undefined;
  private waiting: (() => void)[] = [];
  private signOuts = 0;

  constructor(
    readonly name: string,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  /** The headers of each request. A token that is about to end is renewed first, which spares a 401. */
  readonly headers = async (): Promise<Record<string, string>> => {
    if (this.state.get() === 'signed-in' && this.expiresAt - Date.now() < RENEW_BEFORE) await this.renewQuietly();
    return this.grant ? { Authorization: `Bearer ${this.grant.token}` } : {};
  };

  /** Called after a 401: renews the token. Rejects if the server cannot be reached, and waits for somebody to sign in if it refuses. */
  readonly renew = async (): Promise<void> => {
    if (this.state.get() === 'signed-in') {
      const { grant } = this;
      if (await this.askForToken()) return;
      // Somebody has signed in again while the server refused the sign-in before.
      if (this.grant && this.grant !== grant) return;
      this.state.set('asking');
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  };
  // #endregion

  /** Signs in, and lets the requests that wait for it go on. Resolves with a sentence if that is not possible. */
  async signIn(): Promise<string | undefined> {
    const { signOuts } = this;
    try {
      if (!(await this.ask('/app/sign-in', { name: this.name })))
        return signOuts === this.signOuts ? 'The server does not know this name.' : 'You have signed out meanwhile.';
    } catch {
      return 'The server cannot be reached. Your edits are kept; try again in a moment.';
    }
    this.state.set('signed-in');
    for (const goOn of this.waiting.splice(0)) goOn();
    return undefined;
  }

  /** Forgets the token, so that the next request waits for somebody to sign in. */
  signOut(): void {
    const headers = { Authorization: `Bearer ${this.grant?.token ?? ''}` };
    this.grant = undefined;
    this.expiresAt = 0;
    this.signOuts += 1;
    this.state.set('asking');
    void this.fetch('/app/sign-out', { method: 'POST', headers }).catch(() => undefined);
  }

  /** Renews the token once for all requests that need it. If that fails, the server answers the request itself by a 401. */
  private renewQuietly(): Promise<unknown> {
    this.renewing ??= this.askForToken()
      .catch(() => undefined)
      .finally(() => {
        this.renewing = undefined;
      });
    return this.renewing;
  }

  private askForToken(): Promise<boolean> {
    return this.grant
      ? this.ask('/app/renew', { renewal: this.grant.renewal })
      : this.ask('/app/sign-in', { name: this.name });
  }

  /** Asks for a token. Resolves with whether the server gave one; rejects if it gave no usable answer. */
  private async ask(address: string, body: object): Promise<boolean> {
    const { signOuts } = this;
    const response = await this.fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status === 401 || response.status === 422) return false;
    // Requests that wait for the token may be sent again later: this says nothing about the sign-in.
    if (!response.ok)
      throw Object.assign(new Error(`The sign-in was answered with ${response.status}`), { retryable: true });
    const grant = (await response.json()) as SignedIn;
    // Somebody has signed out meanwhile: this answer must not sign in again.
    if (signOuts !== this.signOuts) return false;
    this.grant = grant;
    this.expiresAt = Date.now() + this.grant.expiresIn * 1000;
    this.renewedAt.set(new Date());
    return true;
  }
}
