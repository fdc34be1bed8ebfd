import { expect, test } from 'vitest';
import { Order } from '../src/api/models';
import { queryOf, readList, writeList } from '../src/list-query';

test('the address says what the list shows', () => {
  const list = readList(new URLSearchParams('page=2&sort=-due&status=paid&q=2026'));
  expect(list).toEqual({ page: 2, sort: 'due', descending: true, status: 'paid', search: '2026' });
  expect(writeList(list).toString()).toBe('q=2026&status=paid&sort=-due&page=2');
  expect(queryOf(Order, list).toJSON()).toMatchObject({
    sorters: [{ property: 'due', direction: 'DESC' }],
    filters: [{ property: 'status', operator: 'eq', value: 'paid' }],
    search: '2026',
  });
});

test('an address that somebody has edited shows the default', () => {
  const list = readList(new URLSearchParams('page=-1&sort=secret&status=lost'));
  expect(writeList(list).toString()).toBe('');
  expect(queryOf(Order, list).filters).toEqual([]);
});
