import { django } from 'repose/dialects';
import { DJANGO } from '../django.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...DJANGO,
  title: 'Django REST Framework, cursors',
  proxy: (url) => ({
    url: `${url}/api/cursors`,
    dialect: django({
      paging: 'cursor',
      pageSizeParam: 'page_size',
      lookups: ['gte', 'lte', 'gt', 'lt', 'in', 'range', 'isnull', 'startswith', 'endswith', 'icontains'],
    }),
  }),
  without: {
    ...DJANGO.without,
    page: 'cursors lead from page to page only, with loadMore()',
    total: 'CursorPagination counts no rows',
    longNumber: 'checked with limit and offset',
    oddIds: 'checked with limit and offset',
    suffix: 'checked with limit and offset',
    file: 'checked with limit and offset',
  },
};
