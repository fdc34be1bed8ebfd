import { describe, expect, test } from 'vitest';
import { optionsOf, optionsPage } from '../../scripts/update-options.mjs';
import { membersOf } from './declarations.js';
import { readPage, tableBelow } from './markdown.js';

const { text } = readPage('docs/reference/options.md');

describe('docs/reference/options.md', () => {
  test('has every option with the text of its TSDoc: `node scripts/update-reference.mjs` writes the page', () => {
    expect(text).toBe(optionsPage());
  });

  test.each([
    ['## REST proxy', 'src/proxy/proxy-config.ts', 'RestProxyConfig'],
    ['## `rowCount()`', 'src/proxy/proxy-config.ts', 'CountAddress'],
    ['## Reader', 'src/reader/json-reader.ts', 'JsonReaderConfig'],
    ['## Field', 'src/model/field.ts', 'FieldConfig'],
    ['## Store', 'src/store/store-config.ts', 'StoreConfig'],
    ['## Outbox', 'src/outbox/outbox-config.ts', 'OutboxConfig'],
    ['## `retry()`', 'src/extensions/retry.ts', 'RetryConfig'],
    ['## `rateLimit()`', 'src/extensions/rate-limit.ts', 'RateLimitConfig'],
  ])('lists under %s the members that %s declares', (heading, file, name) => {
    const listed = tableBelow(text, `${heading}\n`).map(([option = '']) => option.replaceAll('`', ''));
    expect(listed).toEqual(expect.arrayContaining(membersOf(file, name).map((member) => member.name)));
  });

  test('describes an option in one line, without the numbers of rules', () => {
    const [first] = optionsOf('src/proxy/proxy-config.ts', 'AjaxProxyConfig');
    expect(first).toMatchObject({ name: 'url', default: '', meaning: expect.stringMatching(/^[^\n]+\.$/) });
    expect(text).not.toMatch(/\(H\d|\(§/);
  });
});
