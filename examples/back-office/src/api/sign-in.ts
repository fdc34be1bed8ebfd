import { auth } from 'repose';
import { baseUrl } from './base-url';
import { serve } from './server';

/** Somebody who is signed in, with the tokens of the server. */
interface SignedIn {
  readonly name: string;
  readonly token: string;
  readonly refresh: string;
}

/** The sign-in as a screen shows it. `ended`: the server wants the password again; unsaved edits stay. */
export interface SignInState {
  readonly name: string | undefined;
  readonly ended: boolean;
}

const KEY = 'back-office';

/** Signs in, renews and signs out, and tells the screen about it. */
export class SignIn {
  private user: SignedIn | undefined;
  private state: SignInState;
  private readonly listeners = new Set<() => void>();
  /** Goes on with the requests that wait for the password. */
  private resume: ((isSignedIn: boolean) => void) | undefined;

  constructor(
    private readonly send: typeof fetch = serve,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = sessionStorage,
  ) {
    this.user = readUser(storage);
    this.state = { name: this.user?.name, ended: false };
  }

  /**
   * Two options of a proxy: `headers`, and for `use` an extension that sends a request with a 401 again after a renewal. A request of one
   * user that is sent late never has the token of the next one.
   */
  optionsFor(name: string) {
    return {
      headers: (): Record<string, string> =>
        this.user?.name === name ? { Authorization: `Bearer ${this.user.token}` } : {},
      extension: auth({ scope: name, renew: () => this.renew(name) }),
    };
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly get = (): SignInState => this.state;

  /** Resolves with undefined, or with why it failed. */
  async signIn(name: string, password: string): Promise<string | undefined> {
    try {
      const response = await this.post('sign-in', { name, password });
      const body = await response.json();
      if (!response.ok) return body.detail ?? 'The server cannot do this now. Please try again later.';
      this.take({ name, token: body.token, refresh: body.refresh });
      return undefined;
    } catch {
      return 'The server cannot be reached.';
    }
  }

  signOut(): void {
    this.storage.removeItem(KEY);
    this.user = undefined;
    this.change({ name: undefined, ended: false });
    this.goOn(false);
  }

  private async renew(name: string): Promise<boolean> {
    const { user } = this;
    if (user?.name !== name) return false;
    const response = await this.post('renew', { name, refresh: user.refresh });
    const body = response.ok ? await response.json() : undefined;
    // The user may have signed out, or in again, while the server was asked.
    if (this.user !== user) return this.user?.name === name;
    if (body) {
      this.take({ name, token: body.token, refresh: body.refresh });
      return true;
    }
    // A server that is down says nothing about the sign-in: the request fails, and can be tried again.
    if (response.status >= 500) throw new Error(`The renewal was answered with ${response.status}`);
    this.change({ name, ended: true });
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  private take(user: SignedIn): void {
    this.storage.setItem(KEY, JSON.stringify(user));
    this.user = user;
    this.change({ name: user.name, ended: false });
    this.goOn(true);
  }

  private goOn(isSignedIn: boolean): void {
    this.resume?.(isSignedIn);
    this.resume = undefined;
  }

  private change(state: SignInState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }

  private post(path: string, body: object): Promise<Response> {
    return this.send(`${baseUrl}/api/${path}`, { method: 'POST', body: JSON.stringify(body) });
  }
}

/** Reads the user who was signed in before a reload. A text that is not of this application means nobody. */
function readUser(storage: Pick<Storage, 'getItem'>): SignedIn | undefined {
  try {
    return JSON.parse(storage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
