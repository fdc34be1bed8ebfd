import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openClient } from './client/client.js';
import { App } from './panes/app.js';
import './styles/app.css';

const NAMES = ['Alice', 'Bob'];

const root = document.getElementById('root');
if (root) {
  // Opened once, beside the components: a client lives as long as the page.
  const clients = NAMES.map((name) => openClient({ name }));
  createRoot(root).render(
    <StrictMode>
      <App clients={clients} />
    </StrictMode>,
  );
}
