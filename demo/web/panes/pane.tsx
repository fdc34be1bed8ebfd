import type { FeedState } from 'repose/live';
import { useStatus } from 'repose/react';
import type { Client } from '../client/client.js';
import { ClientProvider, useClient, useValue } from '../client/client-context.js';
import { SignedIn } from '../sign-in/signed-in.js';
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
        <SignedIn>{entry?.show(id)}</SignedIn>
      </section>
    </ClientProvider>
  );
}

/** Says whether this client has a network, and whether it hears of the changes of others. */
function Connection() {
  const { network, live } = useClient();
  const online = useValue(network.online);
  const state = useValue(live.state);
  const { label, tone, title } = connectionOf(online, state);
  return (
    <p className="connection" data-tone={tone} role="status" title={title}>
      {label}
      {state.status === 'failed' && (
        <button type="button" className="plain" onClick={() => live.reconnect()}>
          Connect again
        </button>
      )}
    </p>
  );
}

function connectionOf(online: boolean, { status, behind, error }: FeedState) {
  if (!online) return { label: 'Offline', tone: 'off', title: 'There is no network. Edits are kept.' };
  if (status === 'live' && behind)
    return { label: 'Catching up', tone: 'wait', title: 'Reads what may have been missed' };
  if (status === 'live') return { label: 'Live', tone: 'on', title: 'Changes of others are shown at once' };
  if (status === 'failed') return { label: 'Not live', tone: 'off', title: error?.message };
  return { label: 'Connecting', tone: 'wait', title: error?.message ?? 'Opens the stream of changes' };
}

/** The number of records that this client has changed and not saved. */
export function usePending(): number {
  return useStatus(useClient().session).pending;
}
