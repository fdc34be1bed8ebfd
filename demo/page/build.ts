import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Answers requests for files of the page; undefined for other paths. */
export type Page = (path: string) => Response | undefined;

/**
 * Content security policy: the page may load its own script and style, and request its own origin. No `eval`, no markup from
 * texts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Bundles the page in memory, with the package as it is built in `dist/`. */
export async function buildPage(): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [file('main.ts')],
    bundle: true,
    write: false,
    outdir: 'page',
    format: 'esm',
    target: 'es2022',
    sourcemap: 'inline',
    tsconfigRaw: '{}',
    alias: { repose: file('../../dist/index.js') },
    logLevel: 'silent',
  });
  const files = new Map<string, { type: string; text: string }>([
    ['/', { type: 'text/html', text: readFileSync(file('index.html'), 'utf8') }],
    ['/page.css', { type: 'text/css', text: readFileSync(file('page.css'), 'utf8') }],
    ['/page.js', { type: 'text/javascript', text: outputFiles[0]?.text ?? '' }],
  ]);
  return (path) => {
    if (path === '/favicon.ico') return new Response(null, { status: 204 });
    const found = files.get(path);
    return found && new Response(found.text, { headers: headersOf(found.type) });
  };
}

function headersOf(type: string): Record<string, string> {
  return {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}
