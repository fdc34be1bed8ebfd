// A policy of content in each page: it runs scripts of this site only, and the two inline scripts that VitePress writes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { built } from './paths.mjs';

/** Writes the policy into each page, and returns how many there are. */
export function protectPages() {
  const pages = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  for (const name of pages) {
    const file = path.join(built, name);
    const html = readFileSync(file, 'utf8');
    const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) =>
      hashOf(code),
    );
    const policy = [
      "default-src 'self'",
      `script-src 'self' ${[...new Set(inline)].join(' ')}`.trim(),
      // VitePress sets the styles of code as attributes.
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "object-src 'none'",
      "base-uri 'self'",
    ].join('; ');
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    writeFileSync(
      file,
      html.replace('<meta charset="utf-8">', (charset) => `${charset}\n    ${meta}`),
    );
  }
  return pages.length;
}

const hashOf = (code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
