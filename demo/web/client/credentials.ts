import { Value } from './value.js';

/** The answer of the server to a sign-in. */
interface SignedIn {
  readonly token: string;
  readonly renewal: string;
}

/** Whether a client is signed in: `asking` when somebody has to sign in again before its requests go on. */
export type SignInState = 'signed-in' | 'asking';

// #region credentials
/** The token of one client. It is renewed when it has ended; if that fails, requests wait until somebody signs in again. */
export class Credentials {
  readonly state: Value<SignInState> = new Value<SignInState>('signed-in');
  private token: SignedIn | undefined;
  /** The first sign-in, which all requests wait for. */
  private opening: Promise<unknown> | undefined;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  /** The headers of each request. */
  readonly headers = async (): Promise<Record<string, string>> => {
    this.opening ??= this.ask('/app/sign-in', { name: this.name }).catch(() => false);
    await this.opening;
    return this.token ? { Authorization: `Bearer ${this.token.token}` } : {};
  };

  /** Renews the token. It waits for somebody to sign in if the server does not renew it. */
  readonly renew = async (): Promise<void> => {
    if (this.token && (await this.ask('/app/renew', { renewal: this.token.renewal }))) return;
    this.state.set('asking');
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  };
  // #endregion

  /** Signs in; resolves with whether the server agreed. */
  async signIn(): Promise<boolean> {
    if (!(await this.ask('/app/sign-in', { name: this.name }))) return false;
    this.state.set('signed-in');
    for (const goOn of this.waiting.splice(0)) goOn();
    return true;
  }

  /** Forgets the token, so that the next request asks somebody to sign in. */
  signOut(): void {
    this.token = undefined;
    this.state.set('asking');
  }

  private async ask(address: string, body: object): Promise<boolean> {
    const response = await this.fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) return false;
    this.token = (await response.json()) as SignedIn;
    return true;
  }
}
