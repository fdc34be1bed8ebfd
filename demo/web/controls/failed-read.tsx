/** Says in the place of data why it cannot be read, with a button that asks for it again. */
export function FailedRead({
  message,
  retry,
}: {
  readonly message: string;
  readonly retry: (() => unknown) | undefined;
}) {
  return (
    <p className="notice" role="alert">
      {message}
      <button type="button" onClick={() => void retry?.()}>
        Try again
      </button>
    </p>
  );
}
