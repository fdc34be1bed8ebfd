import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Answers requests for files of the page; undefined for other paths. */
export type Page = (path: string) => Response | undefined;

/**
 * Content security policy: the page may load its own scripts and styles, and request its own origin. No `eval`, no markup from texts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Bundles the application in memory, with the package as it is built in `dist/`. */
export async function buildPage(): Promise<Page> {
  const built = await build({
    root: file('.'),
    configFile: false,
    envFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: {
      alias: [
        { find: /^repose$/, replacement: file('../../dist/index.js') },
        { find: /^repose\/(.+)$/, replacement: file('../../dist/$1.js') },
      ],
    },
    build: { write: false, minify: true, sourcemap: false, target: 'es2022', modulePreload: { polyfill: false } },
  });
  if (!('output' in built)) throw new Error('The bundler made no files');
  const files = new Map(
    built.output.map((each) => [`/${each.fileName}`, each.type === 'chunk' ? each.code : each.source] as const),
  );
  return (path) => {
    if (path === '/favicon.ico') return new Response(null, { status: 204 });
    const name = (path === '/' ? '/index.html' : path) as `/${string}`;
    const content = files.get(name);
    return content === undefined ? undefined : new Response(content as BodyInit, { headers: headersOf(name) });
  };
}

function headersOf(name: string): Record<string, string> {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}
