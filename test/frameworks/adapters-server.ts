import { restServer } from 'repose/testing';
import type { Screens } from './harness.js';

const rows = Array.from({ length: 12 }, (_, index) => ({
  id: index + 1,
  title: `Order ${String.fromCharCode(65 + index)}`,
  customerId: (index % 2) + 1,
  total: 100 - index,
  open: index % 3 === 0,
  due: `2026-11-${String(index + 1).padStart(2, '0')}T12:00:00Z`,
}));

/** Answers the screens from orders and customers behind a real HTTP server. Returns the server, and the requests that it got. */
export function serveOrders(screens: Screens) {
  const memory = restServer({
    collections: {
      '/api/orders': { rows, validate: ({ total }) => (Number(total) > 1000 ? { total: 'is too much' } : undefined) },
      '/api/customers': [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Grace' },
      ],
    },
    etags: 'required',
    ignoredParams: ['title_like', 'due_gte'],
  });
  screens.answerFrom(memory);
  /** The requests for orders, as `GET /api/orders?page=1`. */
  const asked = () =>
    screens.server.requests
      .filter(({ path }) => path.startsWith('/api/orders'))
      .map(({ method, url, text }) => `${method} ${decodeURIComponent(url)}${text && ` ${text}`}`);
  return { memory, asked };
}
