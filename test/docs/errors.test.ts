import { messages } from 'repose/messages';
import { describe, expect, test } from 'vitest';
import { errorClass, errorsPage } from '../../scripts/update-errors.mjs';
import { readPage } from './markdown.js';

const { text } = readPage('docs/errors.md');

describe('docs/errors.md', () => {
  test('has every class with its TSDoc, and every text: `node scripts/update-reference.mjs` writes the page', () => {
    expect(text).toBe(errorsPage(messages));
  });

  test('says of each class whether the same call may succeed later', () => {
    const retryable = (file: string, name: string) => errorClass(`src/errors/${file}.ts`, name).retryable;
    expect(retryable('request-errors', 'NetworkError')).toBe('yes');
    expect(retryable('request-errors', 'HttpError')).toBe('for 408, 429, 502, 503, 504');
    expect(retryable('mistakes', 'StateError')).toBe('no');
  });
});
