/** A sentence about an error, and a way on. */
export function Problem({ message, onRetry }: { message: string; onRetry?: () => unknown }) {
  return (
    <p role="alert">
      {message}{' '}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </p>
  );
}
