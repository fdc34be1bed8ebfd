import { expect } from 'vitest';
import type { Access, Id, Row } from './profile.js';

/** How a server is reached without the library. */
export interface JsonAccess {
  /** The address of a row. */
  address(id: Id): string;
  /** The address of the list, for `create`. */
  list?: string;
  headers?: Readonly<Record<string, string>>;
  /** The method that changes some members of a row. @default 'PATCH' */
  change?: 'PATCH' | 'PUT';
  /** The row in a response, by the names of the model's fields. @default the body */
  row?(body: never): Record<string, unknown>;
  /** The body of a change. @default the values */
  body?(values: Row, id: Id): unknown;
  /** The id in the response to a create. @default its member `id` */
  id?(body: never): Id;
}

/** Requests with JSON bodies to the address of a row. */
export function jsonAccess(options: JsonAccess): Access {
  const { address, list, headers = {}, change = 'PATCH' } = options;
  const send = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { 'Content-Type': 'application/json', ...headers } });
  return {
    async read(id) {
      const response = await send(address(id));
      if (!response.ok) {
        await response.arrayBuffer();
        expect(response.status).toBe(404);
        return undefined;
      }
      const body = await response.json();
      return options.row ? options.row(body as never) : (body as Record<string, unknown>);
    },
    async change(id, values) {
      const body = JSON.stringify(options.body?.(values, id) ?? values);
      const response = await send(address(id), { method: change, body });
      await response.arrayBuffer();
      expect(response.ok, `${change} ${address(id)}: ${response.status}`).toBe(true);
    },
    async remove(id) {
      const response = await send(address(id), { method: 'DELETE' });
      await response.arrayBuffer();
      expect(response.ok, `DELETE ${address(id)}: ${response.status}`).toBe(true);
    },
    async create(body) {
      const response = await send(list as string, { method: 'POST', body });
      expect(response.status).toBeLessThan(300);
      const answer = (await response.json()) as never;
      return options.id ? options.id(answer) : (answer as { id: Id }).id;
    },
    async text(id) {
      const response = await send(address(id));
      return response.text();
    },
  };
}
