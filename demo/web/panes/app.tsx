import { useState } from 'react';
import type { Client } from '../client/client.js';
import { ControlBar } from '../controls/control-bar.js';
import { ThemeSwitch } from '../controls/theme-switch.js';
import { Pane } from './pane.js';

/** The application: two people who work on the same orders. */
export function App({ clients }: { readonly clients: readonly Client[] }) {
  const [shown, setShown] = useState(clients[0]?.name);
  return (
    <>
      <header className="top">
        <h1>
          Repose <span>two people, one server, 100,000 orders</span>
        </h1>
        <ControlBar clients={clients} />
        <ThemeSwitch />
      </header>
      <nav className="pane-switch" aria-label="People">
        {clients.map(({ name }) => (
          <button key={name} type="button" aria-pressed={shown === name} onClick={() => setShown(name)}>
            {name}
          </button>
        ))}
      </nav>
      <main className="panes">
        {clients.map((client) => (
          <Pane key={client.name} client={client} isShown={client.name === shown} />
        ))}
      </main>
    </>
  );
}
