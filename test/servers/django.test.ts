import { plain, type RestProxyConfig } from 'repose';
import { startDjango } from '../helpers/servers/index.js';
import { type ContractOptions, serverContract } from './contract.js';

/** Options for limit and offset paging, OrderingFilter and django-filter. */
const common: RestProxyConfig = {
  dialect: plain(),
  pageParam: '',
  startParam: 'offset',
  limitParam: 'limit',
  sortParam: 'ordering',
  reader: { rootProperty: 'results', totalProperty: 'count' },
};
const address: ContractOptions['address'] = ({ url }, id) => `${url}/api/users/${id}/`;
const without = { location: 'Django REST Framework sends no Location unless the serializer has a url field' };

serverContract('Django REST Framework by its .json suffix', startDjango, {
  proxy: ({ url }) => ({ ...common, url: `${url}/api/users`, format: 'json' }),
  address,
  without,
});

serverContract('Django REST Framework by its trailing slash', startDjango, {
  proxy: ({ url }) => ({ ...common, url: `${url}/api/users`, trailingSlash: true }),
  address,
  without,
});
