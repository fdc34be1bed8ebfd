// Writes the pages of the reference that are made of the source; tests in test/docs compare them.
// usage: node scripts/update-reference.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';
import { root } from './tsdoc.mjs';
import { errorsPage } from './update-errors.mjs';
import { memberPages } from './update-members.mjs';
import { optionsPage } from './update-options.mjs';

const { messages } = await tsImport('../src/errors/all-messages.ts', import.meta.url);
const pages = {
  'docs/errors.md': errorsPage(messages),
  'docs/reference/options.md': optionsPage(),
  ...memberPages(),
};
mkdirSync(path.join(root, 'docs/reference/members'), { recursive: true });
for (const [page, text] of Object.entries(pages)) writeFileSync(path.join(root, page), text);
