import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Session } from 'repose';
import { hydrate } from 'repose/ssr';
import { App } from './app';
import { createTasks, Task } from './tasks';

const session = new Session();
hydrate(session, document.getElementById('state')?.textContent ?? '', { task: Task });
const tasks = createTasks(Task, session);

hydrateRoot(
  document.getElementById('root') as HTMLElement,
  <StrictMode>
    <App tasks={tasks} />
  </StrictMode>,
);
