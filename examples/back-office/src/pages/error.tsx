import { useRouteError } from 'react-router';

/** Shown if a page throws: a mistake in the program. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <main>
      <h1>Something went wrong</h1>
      <p role="alert">{error instanceof Error ? error.message : 'The page could not be shown.'}</p>
      <a href="/">Start again</a>
    </main>
  );
}
