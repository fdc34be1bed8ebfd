import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Bundles a script of this folder for a page, with the package as it is built. Returns its text. */
export async function bundlePage(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file(name)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: '{}',
    alias: { repose: file('../../dist/index.js'), 'repose/outbox': file('../../dist/outbox.js') },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
