import { headers } from 'next/headers';
import { Session } from 'repose';
import { dehydrate, stringify } from 'repose/ssr';
import { TaskList } from './task-list';
import { createTasks, Task } from './tasks';

/** Runs on the server, for each request: a session and a class of its own, so that no user gets the rows of another one. */
export default async function Page() {
  const cookie = (await headers()).get('cookie') ?? '';
  const Mine = Task.with({ proxy: { baseUrl: process.env['API_URL'] ?? '', headers: { Cookie: cookie } } });
  const session = new Session();
  const tasks = createTasks(Mine, session);
  await tasks.load();
  return <TaskList state={stringify(dehydrate(session, [tasks], { task: Mine }))} />;
}
