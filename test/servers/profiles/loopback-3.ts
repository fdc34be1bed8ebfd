import { bracketFilter, plain, rowCount } from 'repose';
import { loopback3Version, startLoopback3 } from '../../helpers/servers/index.js';
import { jsonAccess } from '../json-access.js';
import { LOOPBACK } from '../loopback.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...LOOPBACK,
  title: 'LoopBack 3, memory',
  version: loopback3Version,
  start: startLoopback3,
  proxy: (url) => ({
    url: `${url}/api/users`,
    countUrl: rowCount({ url: `${url}/api/users/count`, filterParam: 'where' }),
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
  access: (url) => jsonAccess({ address: (id) => `${url}/api/users/${id}`, list: `${url}/api/users` }),
  statuses: { create: 200, destroy: 200 },
  without: {
    ...LOOPBACK.without,
    noContent: 'LoopBack 3 answers every write with a body',
  },
};
