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
    this.user = JSON.parse(storage.getItem(KEY) ?? 'null') ?? undefined;
    this.state = { name: this.user?.name, ended: false };
  }

  /** For `use` of a proxy: a request that gets a 401 is sent again after a renewal. */
  readonly extension = auth({ renew: () => this.renew() });
  /** For `headers` of a proxy. */
  readonly headers = (): Record<string, string> => ({ Authorization: `Bearer ${this.user?.token ?? ''}` });

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
      if (!response.ok) return body.detail;
      this.take({ name, ...body });
      return undefined;
    } catch {
      return 'The server cannot be reached.';
    }
  }

  signOut(): void {
    this.storage.removeItem(KEY);
    this.user = undefined;
    this.change({ name: undefined, ended: false });
    this.resume?.(false);
  }

  private async renew(): Promise<boolean> {
    const { user } = this;
    if (!user) return false;
    const response = await this.post('renew', { name: user.name, refresh: user.refresh });
    if (response.ok) {
      this.take({ name: user.name, ...(await response.json()) });
      return true;
    }
    this.change({ name: user.name, ended: true });
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  private take(user: SignedIn): void {
    this.storage.setItem(KEY, JSON.stringify(user));
    this.user = user;
    this.change({ name: user.name, ended: false });
    this.resume?.(true);
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
