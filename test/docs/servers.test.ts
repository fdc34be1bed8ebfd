import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checks, configurationOf, reports, serversPage } from '../../scripts/update-servers.mjs';
import { CHECKS } from '../servers/profile.js';
import { readPage } from './markdown.js';

describe('docs/servers.md', () => {
  test('is what the last run found out: `node scripts/update-servers.mjs` writes the page', () => {
    expect(readPage('docs/servers.md').text).toBe(serversPage());
  });

  test('has a report of each profile, with a result of each check', () => {
    const profiles = readdirSync(new URL('../servers/profiles', import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    expect(reports().map(({ name }) => name)).toEqual(profiles.sort());
    expect(checks()).toEqual(CHECKS);
    for (const report of reports()) expect(Object.keys(report.checks), report.name).toEqual(Object.keys(CHECKS));
  });

  test.each(reports())('shows how $name is configured, with the dialect that its report names', ({ name, dialect }) => {
    expect(configurationOf(name)).toContain(`dialect: ${dialect}(`);
  });
});
