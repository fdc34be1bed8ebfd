import { jsonAccess } from './json-access.js';
import type { Access, CheckName } from './profile.js';

/** The members of a row, or of a body, but for those that the server changes with every update. */
export function railsFields(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { updated_at, lock_version, ...rest } = row;
  return rest;
}

/** Requests to a scaffold without the library. */
export function railsAccess(url: string, wrap: string): Access {
  return jsonAccess({
    address: (id) => `${url}/${id}.json`,
    list: `${url}.json`,
    body: (values) => ({ [wrap]: values }),
    row: railsFields,
  });
}

export const RAILS_WITHOUT: Partial<Record<CheckName, string>> = {
  oddIds: 'the server gives the ids',
  bulk: 'Rails takes one record per request',
  file: 'Active Storage, which takes files, is left out',
};
