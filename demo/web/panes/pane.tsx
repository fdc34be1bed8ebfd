import { useStatus } from 'repose/react';
import type { Client } from '../client/client.js';
import { ClientProvider, useClient, useValue } from '../client/client-context.js';
import { usePlace } from './place.js';
import { PLACES } from './places.js';

/** One person's half of the page: a whole client, with its own places. */
export function Pane({ client, isShown }: { readonly client: Client; readonly isShown: boolean }) {
  const [place, setPlace] = usePlace(client.name.toLowerCase());
  const [key, id] = place.split('/', 2) as [string, string | undefined];
  const entry = PLACES.find((each) => each.key === key) ?? PLACES[0];
  return (
    <ClientProvider value={client}>
      <section className="pane" aria-label={client.name} data-shown={isShown}>
        <div className="pane-top">
          <h2>
            <span className="avatar" aria-hidden="true">
              {client.name[0]}
            </span>
            {client.name}
          </h2>
          <nav aria-label={`Places of ${client.name}`}>
            {PLACES.map(({ key: to, label }) =>
              label === undefined ? null : (
                <button
                  key={to}
                  type="button"
                  aria-current={entry?.key === to ? 'page' : undefined}
                  onClick={() => setPlace(to)}
                >
                  {label}
                </button>
              ),
            )}
          </nav>
          <Connection />
        </div>
        <SignInNotice />
        <div className="place">{entry?.show(id)}</div>
      </section>
    </ClientProvider>
  );
}

/** Says whether this client has a network, and whether it hears of the changes of others. */
function Connection() {
  const { network, live } = useClient();
  const online = useValue(network.online);
  const feedState = useValue(live.state);
  const { label, tone } = !online
    ? { label: 'Offline', tone: 'off' }
    : feedState.status === 'live'
      ? { label: 'Live', tone: 'on' }
      : { label: 'Connecting', tone: 'wait' };
  return (
    <p className="connection" data-tone={tone} role="status">
      {label}
    </p>
  );
}

/** Asks for the sign-in that has ended. The requests that wait for it go on by themselves. */
function SignInNotice() {
  const { auth, name } = useClient();
  if (useValue(auth.state) === 'signed-in') return null;
  return (
    <p className="notice" role="alert">
      The sign-in of {name} has ended. What was edited is kept.
      <button type="button" className="primary" onClick={() => void auth.signIn()}>
        Sign in again
      </button>
    </p>
  );
}

/** The number of records that this client has changed and not saved. */
export function usePending(): number {
  return useStatus(useClient().session).pending;
}
