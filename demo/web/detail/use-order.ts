import { useEffect, useState } from 'react';
import { type AnyDataError, isDataError } from 'repose';
import { useClient } from '../client/client-context.js';
import type { Order } from '../models.js';

/** An order on its page, at one moment. */
export interface LoadedOrder {
  readonly order: Order | undefined;
  readonly error: AnyDataError | undefined;
  readonly notFound: boolean;
  readonly reload: () => void;
}

// #region load
/** Loads an order into the session of the client, where the grid has the same object. */
export function useOrder(id: number): LoadedOrder {
  const { session, models } = useClient();
  const [attempt, setAttempt] = useState(0);
  const known = session.getById(models.Order, id);
  const [state, setState] = useState<{ readonly order?: Order; readonly error?: AnyDataError }>({});
  useEffect(() => {
    const controller = new AbortController();
    session.load(models.Order, id, { signal: controller.signal }).then(
      (order) => setState({ order }),
      (error: unknown) => {
        if (!controller.signal.aborted && isDataError(error)) setState({ error });
      },
    );
    return () => {
      controller.abort();
      setState({});
    };
  }, [session, models, id, attempt]);
  const { error } = state;
  return {
    order: state.order ?? known,
    error,
    notFound: error !== undefined && 'status' in error && error.status === 404,
    reload: () => setAttempt((before) => before + 1),
  };
}
// #endregion
