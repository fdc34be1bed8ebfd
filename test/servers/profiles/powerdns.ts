import { filterTemplates, plain } from 'repose';
import { POWERDNS_KEY, powerDnsVersion, startPowerDns, ZONES } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';

const QUERIES = 'PowerDNS lists all zones, and knows no queries';
const zones = (url: string) => `${url}/api/v1/servers/localhost/zones`;

/** The members that no change of another member changes. */
function stable(zone: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { rrsets, nameservers, serial, edited_serial, ...rest } = zone;
  return rest;
}

export const profile: ServerProfile = {
  title: 'PowerDNS, zones',
  version: powerDnsVersion,
  dialect: 'plain',
  start: startPowerDns,
  proxy: (url) => ({
    url: `${url}/api/v1/servers/localhost/zones`,
    dialect: plain({ pageParam: '', limitParam: '', sortParam: '', filter: filterTemplates({}), searchParam: '' }),
    headers: { 'X-API-Key': 'key-of-the-tests' },
    actionMethods: { update: 'PUT' },
  }),
  fields: { id: 'string', name: 'string', kind: 'string', account: 'string' },
  rows: ZONES,
  access: (url) =>
    jsonAccess({
      address: (id) => `${zones(url)}/${id}`,
      headers: POWERDNS_KEY,
      change: 'PUT',
      row: stable,
    }),
  record: (n) => ({ name: `new${n}.test.`, kind: 'Native', account: 'new' }),
  edit: (n) => ({ account: `edited${n}` }),
  sentFields: (body) => stable(body as Readonly<Record<string, unknown>>),
  statuses: { update: 204 },
  facts: {
    pageSize: 0,
    missingId: 'missing.test.',
    undeclared: { field: 'soa_edit_api', declared: 'account' },
    refused: { property: 'name', value: 'zone01.test.' },
    invalid: {
      values: { name: 'without-a-dot-at-its-end' },
      fields: [],
    },
    oddIds: {
      ids: ['xn--bcher-kva.test.', 'a-b.c.test.', '0.0.10.in-addr.arpa.'],
      record: (id) => ({ name: id, kind: 'Native', account: '' }),
    },
  },
  without: {
    page: QUERIES,
    more: QUERIES,
    sort: QUERIES,
    multiSort: QUERIES,
    filter: QUERIES,
    encoded: QUERIES,
    operators: QUERIES,
    empty: QUERIES,
    search: QUERIES,
    null: 'no member of a zone is null',
    suffix: 'PowerDNS knows no format suffix',
    location: 'PowerDNS sends no Location',
    patch: 'PATCH changes the records of a zone, and takes nothing else',
    invalidUpdate: 'PowerDNS ignores a change of the name',
    stale: 'PowerDNS compares no versions: the last write wins',
    longNumber: 'no member of a zone holds a long number',
    bulk: 'PowerDNS takes one zone per request',
    file: 'a zone holds no file',
  },
  notes: [
    'Ids are the names of zones, and end in a dot',
    'PowerDNS names no field in its errors',
    'With its SQLite backend, PowerDNS answers 500 to some of the writes that arrive at the same time',
  ],
};
