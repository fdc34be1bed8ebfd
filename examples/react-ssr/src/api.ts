import { restServer } from 'repose/testing';

const titles = ['Call the bank', 'Book flights', 'Draw the plan', 'Ask for offers', 'Empty the bin', 'Feed the cat'];

const memory = restServer({
  collections: {
    '/api/tasks': titles.map((title, i) => ({ id: i + 1, title, due: `2026-12-0${i + 1}T08:30:00Z`, votes: i })),
  },
});

/** The API that the server calls: the one at `API_URL`, or the one in memory. */
export const api = process.env['API_URL']
  ? { baseUrl: process.env['API_URL'], fetch }
  : { baseUrl: memory.baseUrl, fetch: memory.fetch };
