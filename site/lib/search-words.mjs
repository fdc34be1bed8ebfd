// The words with which people look for a page who do not know its words yet. A search finds the page by them; no page shows them.

/** Words by page, without its ending. */
const WORDS = {
  'guide/start':
    'install, installation, npm, getting started, get started, quick start, first steps, hello world, tutorial, beginner, introduction',
  'guide/models':
    'schema, entity, class, declare fields, types of fields, validation rules, validators, required, default value, primary key, id field, computed property, snake case, camel case, rename a member',
  'guide/lists':
    'collection, fetch, table, pagination, paging, next page, page size, sort, sort a list, sort rows, sort by column, sort by a field, how to sort, order by, filter, filter a list, filter rows, filter by a field, search box, query, load all records, refresh, reload',
  'guide/writes':
    'save all changes, save all rows, one click, update, PUT, PATCH, POST, DELETE, create a record, insert, remove, save changes, submit, partial update, changed fields, dirty, bulk save',
  'guide/sign-in':
    'login, log in, logout, sign out, authentication, authorization, bearer token, JWT, refresh token, access token, expired session, 401 unauthorized, 403 forbidden, cookies, CSRF, API key, headers',
  'guide/errors':
    '400, 422 unprocessable entity, validation errors of the backend, server side validation, message next to an input, field errors, form errors, server says that a value is taken, already exists, invalid input, validation fails, validation failed, red text below an input, show errors, error handling, toast, catch',
  'guide/detail-screen':
    'detail page, edit page, form for one record, load by id, find by id, get one, 404 not found, missing record, route parameter, router, delete button',
  'guide/offline':
    'no internet, without internet, no network, without a network, network is gone, network down, no connection, save without internet, lost connection, connection lost, wifi, mobile, airplane mode, queue of writes, queue saves, send later, save for later, retry when online again, local storage, IndexedDB, pending changes after a refresh, unsent requests, persist requests, PWA, service worker, background sync, user closes the browser before it was sent, closed tab, restart, offline first',
  'guide/conflicts':
    '409, 412 precondition failed, ETag, If-Match, version, optimistic locking, concurrency, concurrent edit, race, lost update, overwrite changes of another user, overwritten, two users edit the same record, two people save at once, somebody else, colleague, simultaneous, stale data, stale save, out of date, last write wins, version mismatch, someone else was first, merge changes, keep mine, take theirs',
  'guide/large-data':
    'virtual scroll, virtual list, infinite scroll, endless list, load more, lazy loading, million rows, big table, many rows, performance, slow grid, memory',
  'guide/nested':
    'child records, parent and child, relations between models, relationships, associations, related records, has many, hasMany, belongs to, belongsTo, one to many, many to many, foreign key, join, include, expand, master detail, subresource, sub resource, nested url, order lines, line items, comments of a post, embedded lists',
  'guide/trees':
    'folder structure, nested folders, open step by step, open level by level, hierarchy, hierarchical data, tree view, tree grid, parent id, folders, categories, menu, drag and drop, expand a node, lazy children',
  'guide/new-server':
    'my own backend, own API, custom API, custom backend, unknown server, undocumented, legacy API, envelope, wrapped response, data member, integrate',
  'guide/dialects':
    'query string, query parameters, other parameter names, different parameters, rename page and limit, offset and limit, skip and take, per_page, page number, page size parameter, sort parameter, order parameter, filter syntax, URL parameters, the backend expects _page and _limit, pageSize instead of limit, response format, envelope, Django, Laravel, Rails, OData',
  'guide/next': 'Next.js, App Router, React Server Components, RSC, use client, server component',
  'guide/server-rendering': 'SSR, Nuxt, Remix, hydrate, hydration, server side rendering, preload, SEO',
  'guide/inspector':
    'why was this sent, reason of a request, where does a header come from, explain a request, devtools, developer tools, debug, debugging, log requests, why is a request sent, network tab, record and replay, copy as curl',
  'guide/testing':
    'unit test, mock, mock server, fake server, stub, fetch mock, vitest, jest, fixtures, MSW, end to end test',
  'guide/bindings': 'useStore, useRecord, useForm, useList, useField, useLoaded, bindings of frameworks',
  'guide/tanstack-query':
    'react-query, react query, useQuery, useMutation, query client, query keys, migrate from TanStack Query, switch from, replace react query',
  'guide/react': 'hooks, useState, useEffect, component, jsx, suspense',
  'guide/vue': 'composables, ref, reactive, v-model, pinia',
  'guide/svelte': 'runes, stores, bind value, SvelteKit',
  'guide/solid': 'signals, createSignal, SolidStart',
  'guide/angular': 'signals, services, inject, reactive forms, zoneless',
  'guide/ext-js': 'Sencha, ExtJS, migrate, migration, port, Ext.data.Model, Ext.data.Store, Ext.data.proxy.Rest',
  'reference/options': 'configuration, settings, config, defaults, list of options',
  'reference/live':
    'rows change while someone looks at them, changes of others appear, updates by themselves, websocket, SSE, server sent events, push, realtime, real time, subscribe to changes, polling',
  'guide/undo': 'undo, redo, revert a change, ctrl z, take back, step back, go back to the old value',
  'reference/network':
    'try again, repeat a request, busy server, server is down for a moment, unavailable, flaky, retry, back off, timeout, rate limit, throttle, 429, 503, slow network',
  'reference/bodies': 'file upload, attachments, multipart, FormData, progress bar, download',
  'reference/groups': 'group by, sum per group, subtotals, totals, aggregate, count per status, two levels of groups',
  'reference/sizes': 'bundle size, kilobytes, gzip, how big, how small, tree shaking',
  'reference/sync': 'batch, bulk, several records in one request, save everything with one click, save all',
  'reference/stability': 'supported versions, browsers, node version, typescript version, semver, breaking changes',
  errors: 'error code, error codes, error message, list of errors, exception',
  performance: 'benchmark, speed, fast, compare libraries',
};

/** The text of a page with its words after the first paragraphs, for the index of the search. */
export function withSearchWords(page, text) {
  const words = WORDS[page.replace(/\.md$/, '')];
  if (!words) return text;
  const next = text.search(/^## /m);
  const at = next < 0 ? text.length : next;
  // Twice, because a page that says a word once may be about something else.
  return `${text.slice(0, at)}\n\n${words}\n\n${words}\n\n${text.slice(at)}`;
}

/** The pages that have words. */
export const pagesWithWords = Object.keys(WORDS);
