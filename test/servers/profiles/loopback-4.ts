import { bracketFilter, plain, rowCount } from 'repose';
import { loopback4Version, startLoopback4 } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import { LOOPBACK } from '../loopback.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...LOOPBACK,
  title: 'LoopBack 4, memory',
  version: loopback4Version,
  start: startLoopback4,
  proxy: (url) => ({
    url: `${url}/users`,
    countUrl: rowCount({ url: `${url}/users/count`, filterParam: 'where' }),
    dialect: plain({
      page: 'filter[skip]={start}&filter[limit]={limit}',
      sort: { asc: 'filter[order]={name} ASC', desc: 'filter[order]={name} DESC', several: 'repeat' },
      searchParam: '',
      filterParam: 'filter[where]',
      filter: bracketFilter(
        { eq: '', ne: 'neq', ge: 'gte', gt: 'gt', le: 'lte', lt: 'lt', in: 'inq', nin: 'nin', and: 'and', or: 'or' },
        { depth: 5, listLength: 20 },
      ),
    }),
  }),
  access: (url) => jsonAccess({ address: (id) => `${url}/users/${id}`, list: `${url}/users` }),
  statuses: { create: 200, update: 204 },
};
