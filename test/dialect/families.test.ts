import {
  filterTemplates,
  Model,
  type PlainOptions,
  plain,
  type RestProxyConfig,
  Store,
  type StoreConfig,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

class Person extends Model.define({ fields: { id: 'int', name: 'string', age: 'int', city: 'string' } }) {}

type Query = Required<Pick<StoreConfig<Person>, 'sorters' | 'filters'>>;

/** The second page of adults in two cities, the oldest first, in one load. */
const ADULTS: Query = {
  sorters: [{ property: 'age', direction: 'DESC' }, 'name'],
  filters: [
    { property: 'age', operator: 'ge', value: 18 },
    { property: 'city', operator: 'in', value: ['Rome', 'Oslo'] },
  ],
};
/** For servers that know equality only. */
const ROMANS: Query = { ...ADULTS, filters: [{ property: 'city', value: 'Rome' }] };
/** For servers that sort by one field, and know comparisons only. */
const OLDEST: Query = {
  sorters: [{ property: 'age', direction: 'DESC' }],
  filters: [{ property: 'age', operator: 'ge', value: 18 }],
};

const rows = [{ id: 1, name: 'Ada', age: 36, city: 'Rome' }];

/** Families of servers that options can serve: what their documentation asks for, and how they answer. */
const families: readonly {
  family: string;
  options: PlainOptions;
  query: Query;
  url: string;
  answer: unknown;
  headers?: Record<string, string>;
}[] = [
  {
    family: 'Ext JS with simple sorting (its classic form is the default dialect)',
    options: {
      startParam: 'start',
      sort: { asc: 'sort={name}&dir=ASC', desc: 'sort={name}&dir=DESC', several: 'repeat' },
      reader: { rootProperty: 'data' },
    },
    query: ROMANS,
    url: '/people?page=2&start=20&limit=20&sort=age&sort=name&dir=DESC&dir=ASC&city=Rome',
    answer: { success: true, total: 57, data: rows },
  },
  {
    family: 'json-server 0.17',
    options: {
      page: '_page={page}&_limit={limit}',
      sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
      filter: filterTemplates({ eq: '{name}', in: '{name}', ge: '{name}_gte', le: '{name}_lte' }),
      searchParam: 'q',
    },
    query: ADULTS,
    url: '/people?_page=2&_limit=20&_sort=age,name&_order=desc,asc&age_gte=18&city=Rome&city=Oslo',
    answer: rows,
    headers: { 'X-Total-Count': '57' },
  },
  {
    family: 'json-server 1.0',
    options: {
      page: '_page={page}&_per_page={limit}',
      sortParam: '_sort',
      filter: filterTemplates({ eq: '{name}', ge: '{name}:gte', in: '{name}:in={values}' }),
      reader: { rootProperty: 'data', totalProperty: 'items' },
    },
    query: ADULTS,
    url: '/people?_page=2&_per_page=20&_sort=-age,name&age:gte=18&city:in=Rome,Oslo',
    answer: { first: 1, items: 57, data: rows },
  },
  {
    family: 'PostgREST',
    options: {
      page: 'limit={limit}&offset={start}',
      sortParam: 'order',
      sort: { asc: '{name}.asc', desc: '{name}.desc' },
      filter: filterTemplates({
        eq: '{name}=eq.{value}',
        ge: '{name}=gte.{value}',
        in: '{name}=in.({values})',
        isNull: '{name}=is.null',
        repeat: true,
      }),
      totalHeader: 'Content-Range',
    },
    query: ADULTS,
    url: '/people?limit=20&offset=20&order=age.desc,name.asc&age=gte.18&city=in.(Rome,Oslo)',
    answer: rows,
    headers: { 'Content-Range': '20-39/57' },
  },
  {
    family: 'JSON:API',
    options: {
      page: 'page[number]={page}&page[size]={limit}',
      filter: filterTemplates({ eq: 'filter[{name}]' }),
      reader: { rootProperty: 'data', totalProperty: 'meta.total', record: 'attributes' },
    },
    query: ROMANS,
    url: '/people?page[number]=2&page[size]=20&sort=-age,name&filter[city]=Rome',
    answer: { data: [{ type: 'people', id: '1', attributes: rows[0] }], meta: { total: 57 } },
  },
  {
    family: 'Spring Data REST with Querydsl',
    options: {
      page: 'page={pageIndex}&size={limit}',
      sort: { asc: '{name},asc', desc: '{name},desc', several: 'repeat' },
      filter: filterTemplates({ eq: '{name}' }),
      reader: { rootProperty: '_embedded.people', totalProperty: 'page.totalElements' },
    },
    query: ROMANS,
    url: '/people?page=1&size=20&sort=age,desc&sort=name,asc&city=Rome',
    answer: { _embedded: { people: rows }, page: { totalElements: 57 } },
  },
  {
    family: 'Django REST Framework with django-filter',
    options: {
      trailingSlash: true,
      pageParam: '',
      startParam: 'offset',
      sortParam: 'ordering',
      filter: filterTemplates({
        eq: '{name}',
        ge: '{name}__gte',
        in: '{name}__in={values}',
        isNull: '{name}__isnull={value}',
      }),
      reader: { rootProperty: 'results', totalProperty: 'count' },
    },
    query: ADULTS,
    url: '/people/?offset=20&limit=20&ordering=-age,name&age__gte=18&city__in=Rome,Oslo',
    answer: { count: 57, next: null, results: rows },
  },
  {
    family: "Laravel with spatie's query builder",
    options: {
      limitParam: 'per_page',
      filter: filterTemplates({ eq: 'filter[{name}]', in: 'filter[{name}]={values}' }),
      reader: { rootProperty: 'data', totalProperty: 'meta.total' },
    },
    query: { ...ADULTS, filters: [{ property: 'city', operator: 'in', value: ['Rome', 'Oslo'] }] },
    url: '/people?page=2&per_page=20&sort=-age,name&filter[city]=Rome,Oslo',
    answer: { data: rows, meta: { total: 57 } },
  },
  {
    family: 'Rails with kaminari and Ransack',
    options: {
      limitParam: 'per_page',
      sort: { asc: 'q[s][]={name} asc', desc: 'q[s][]={name} desc', several: 'repeat' },
      filter: filterTemplates({
        eq: 'q[{name}_eq]',
        ge: 'q[{name}_gteq]',
        in: 'q[{name}_in][]',
        isNull: 'q[{name}_null]=1',
      }),
      totalHeader: 'Total',
    },
    query: ADULTS,
    url: '/people?page=2&per_page=20&q[s][]=age desc&q[s][]=name asc&q[age_gteq]=18&q[city_in][]=Rome&q[city_in][]=Oslo',
    answer: rows,
    headers: { Total: '57' },
  },
  {
    family: 'Strapi',
    options: {
      page: 'pagination[page]={page}&pagination[pageSize]={limit}',
      sort: { asc: 'sort[{index}]={name}:asc', desc: 'sort[{index}]={name}:desc' },
      filter: filterTemplates({
        eq: 'filters[{name}][$eq]',
        ge: 'filters[{name}][$gte]',
        in: 'filters[{name}][$in][{index}]',
        isNull: 'filters[{name}][$null]={value}',
      }),
      reader: { rootProperty: 'data', totalProperty: 'meta.pagination.total' },
    },
    query: ADULTS,
    url: '/people?pagination[page]=2&pagination[pageSize]=20&sort[0]=age:desc&sort[1]=name:asc&filters[age][$gte]=18&filters[city][$in][0]=Rome&filters[city][$in][1]=Oslo',
    answer: { data: rows, meta: { pagination: { total: 57 } } },
  },
  {
    family: 'Feathers',
    options: {
      page: '$limit={limit}&$skip={start}',
      sort: { asc: '$sort[{name}]=1', desc: '$sort[{name}]=-1' },
      filter: filterTemplates({ eq: '{name}', ge: '{name}[$gte]', in: '{name}[$in][]' }),
      reader: { rootProperty: 'data' },
    },
    query: ADULTS,
    url: '/people?$limit=20&$skip=20&$sort[age]=-1&$sort[name]=1&age[$gte]=18&city[$in][]=Rome&city[$in][]=Oslo',
    answer: { total: 57, limit: 20, skip: 20, data: rows },
  },
  {
    family: 'NestJS CRUD',
    options: {
      sort: { asc: '{name},ASC', desc: '{name},DESC', several: 'repeat' },
      filter: filterTemplates({
        eq: 'filter={name}||$eq||{value}',
        ge: 'filter={name}||$gte||{value}',
        in: 'filter={name}||$in||{values}',
        isNull: 'filter={name}||$isnull',
      }),
      reader: { rootProperty: 'data' },
    },
    query: ADULTS,
    url: '/people?page=2&limit=20&sort=age,DESC&sort=name,ASC&filter=age||$gte||18&filter=city||$in||Rome,Oslo',
    answer: { data: rows, count: 1, total: 57, page: 2 },
  },
  {
    family: 'LoopBack 4',
    options: {
      page: 'filter[limit]={limit}&filter[skip]={start}',
      sort: { asc: 'filter[order][{index}]={name} ASC', desc: 'filter[order][{index}]={name} DESC' },
      filter: filterTemplates({
        eq: 'filter[where][{name}]',
        ge: 'filter[where][{name}][gte]',
        in: 'filter[where][{name}][inq][{index}]',
      }),
    },
    query: ADULTS,
    url: '/people?filter[limit]=20&filter[skip]=20&filter[order][0]=age DESC&filter[order][1]=name ASC&filter[where][age][gte]=18&filter[where][city][inq][0]=Rome&filter[where][city][inq][1]=Oslo',
    answer: rows,
    headers: { 'X-Total-Count': '57' },
  },
  {
    family: 'Directus',
    options: {
      page: 'page={page}&limit={limit}&meta=filter_count',
      filter: filterTemplates({
        eq: 'filter[{name}][_eq]',
        ge: 'filter[{name}][_gte]',
        in: 'filter[{name}][_in]={values}',
        isNull: 'filter[{name}][_null]={value}',
      }),
      reader: { rootProperty: 'data', totalProperty: 'meta.filter_count' },
    },
    query: ADULTS,
    url: '/people?page=2&limit=20&meta=filter_count&sort=-age,name&filter[age][_gte]=18&filter[city][_in]=Rome,Oslo',
    answer: { data: rows, meta: { filter_count: 57 } },
  },
  {
    family: 'GitHub',
    options: {
      limitParam: 'per_page',
      sort: { asc: 'sort={name}&direction=asc', desc: 'sort={name}&direction=desc', several: 'refuse' },
      filter: filterTemplates({ eq: '{name}' }),
    },
    query: { sorters: OLDEST.sorters, filters: ROMANS.filters },
    url: '/people?page=2&per_page=20&sort=age&direction=desc&city=Rome',
    answer: rows,
    headers: { 'X-Total-Count': '57' },
  },
  {
    family: 'OData v4, with one condition',
    options: {
      page: '$top={limit}&$skip={start}&$count=true',
      sortParam: '$orderby',
      sort: { asc: '{name}', desc: '{name} desc' },
      filter: filterTemplates({ ge: (name, value) => ({ $filter: `${name} ge ${value}` }) }),
      reader: { rootProperty: 'value', totalProperty: "['@odata.count']" },
    },
    query: OLDEST,
    url: '/people?$top=20&$skip=20&$count=true&$orderby=age desc&$filter=age ge 18',
    answer: { '@odata.count': 57, value: rows },
  },
  {
    family: 'Microsoft Azure, with one condition',
    options: {
      page: 'top={limit}&skip={start}',
      sortParam: 'orderby',
      sort: { asc: '{name}', desc: '{name} desc' },
      filter: filterTemplates({ ge: (name, value) => ({ filter: `${name} ge ${value}` }) }),
      reader: { rootProperty: 'value', nextProperty: 'nextLink' },
    },
    query: OLDEST,
    url: '/people?top=20&skip=20&orderby=age desc&filter=age ge 18',
    answer: { value: rows },
    headers: { 'X-Total-Count': '57' },
  },
  {
    family: 'Google AIP, with one condition',
    options: {
      page: 'page_size={limit}&skip={start}',
      tokenParam: 'page_token',
      sortParam: 'order_by',
      sort: { asc: '{name}', desc: '{name} desc' },
      filter: filterTemplates({ ge: (name, value) => ({ filter: `${name} >= ${value}` }) }),
      reader: { rootProperty: 'people', totalProperty: 'totalSize', nextProperty: 'nextPageToken' },
    },
    query: OLDEST,
    url: '/people?page_size=20&skip=20&order_by=age desc&filter=age >= 18',
    answer: { people: rows, totalSize: 57 },
  },
  {
    family: 'react-admin simple-rest, by its range',
    options: {
      page: 'range=[{start},{last}]',
      sort: { asc: 'sort=["{name}","ASC"]', desc: 'sort=["{name}","DESC"]', several: 'refuse' },
      filter: filterTemplates({ eq: '{name}' }),
      totalHeader: 'Content-Range',
    },
    query: { sorters: OLDEST.sorters, filters: ROMANS.filters },
    url: '/people?range=[20,39]&sort=["age","DESC"]&city=Rome',
    answer: rows,
    headers: { 'Content-Range': 'people 20-39/57' },
  },
  {
    family: 'ABP',
    options: {
      page: 'SkipCount={start}&MaxResultCount={limit}',
      sortParam: 'Sorting',
      sort: { asc: '{name}', desc: '{name} desc' },
      filter: filterTemplates({ eq: '{name}' }),
      reader: { rootProperty: 'items', totalProperty: 'totalCount' },
    },
    query: ROMANS,
    url: '/people?SkipCount=20&MaxResultCount=20&Sorting=age desc,name&city=Rome',
    answer: { totalCount: 57, items: rows },
  },
  {
    family: 'API Platform',
    options: {
      limitParam: 'itemsPerPage',
      sort: { asc: 'order[{name}]=asc', desc: 'order[{name}]=desc' },
      filter: filterTemplates({ eq: '{name}', in: '{name}[]', ge: '{name}[gte]' }),
      reader: { rootProperty: 'member', totalProperty: 'totalItems' },
    },
    query: ADULTS,
    url: '/people?page=2&itemsPerPage=20&order[age]=desc&order[name]=asc&age[gte]=18&city[]=Rome&city[]=Oslo',
    answer: { member: rows, totalItems: 57 },
  },
];

describe('options of plain() alone speak the form of', () => {
  test.each(families)('$family', async ({ options, query, url, answer, headers = {} }) => {
    server.reply({ json: answer, headers });
    const proxy: RestProxyConfig = { url: '/people', baseUrl: server.url, dialect: plain(options) };
    const people = new Store({
      model: Person,
      proxy: { type: 'rest', ...proxy },
      pageSize: 20,
      remoteSort: true,
      remoteFilter: true,
      ...query,
    });
    await people.load({ page: 2 });
    expect(decodeURIComponent(server.last.url)).toBe(url);
    expect(people.total).toBe(57);
    expect(people.getRange().map(({ name }) => name)).toEqual(['Ada']);
  });
});
