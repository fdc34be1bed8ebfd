import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild, transformSync } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webpack } from 'webpack';

type Mode = 'development' | 'production';

const root = path.resolve(import.meta.dirname, '../..');
/** The example as an application has it: a folder in which the package is installed. */
let app: string;

beforeAll(() => {
  app = mkdtempSync(path.join(import.meta.dirname, 'node_modules/.app-'));
  cpSync(path.join(root, 'examples/plain'), app, { recursive: true });
  // Rollup and webpack read JavaScript only.
  for (const name of readdirSync(path.join(app, 'src'))) {
    const file = path.join(app, 'src', name);
    const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts' });
    rmSync(file);
    writeFileSync(file.replace(/\.ts$/, '.js'), code);
  }
  mkdirSync(path.join(app, 'node_modules'));
  symlinkSync(root, path.join(app, 'node_modules/repose'), 'dir');
});

afterAll(() => rmSync(app, { recursive: true, force: true }));

const main = () => path.join(app, 'src/main.js');

/** Runs a bundler with `NODE_ENV` set, as its command is run. */
async function inEnvironment(mode: Mode, run: () => Promise<string>): Promise<string> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = mode;
  try {
    return await run();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}

/** Each bundler as an application calls it. */
const bundlers: Readonly<Record<string, (mode: Mode) => Promise<string>>> = {
  vite: (mode) =>
    inEnvironment(mode, async () => {
      const built = await vite({
        root: app,
        mode,
        configFile: false,
        logLevel: 'silent',
        build: { write: false, rollupOptions: { input: main() } },
      });
      const [first] = [built].flat();
      return first && 'output' in first ? first.output.map((each) => ('code' in each ? each.code : '')).join('') : '';
    }),
  async webpack(mode) {
    const output = { path: path.join(app, `webpack-${mode}`), filename: 'out.js' };
    const compiler = webpack({ mode, entry: main(), output, devtool: false });
    await new Promise<void>((resolve, reject) =>
      compiler?.run((error, stats) => (error || stats?.hasErrors() ? reject(error ?? stats?.toString()) : resolve())),
    );
    return readFileSync(path.join(output.path, output.filename), 'utf8');
  },
  rollup: (mode) =>
    inEnvironment(mode, async () => {
      const bundle = await rollup({ input: main(), plugins: [nodeResolve()] });
      const { output } = await bundle.generate({ format: 'es' });
      return output[0].code;
    }),
  async esbuild(mode) {
    const { outputFiles } = await esbuild({
      entryPoints: [main()],
      bundle: true,
      minify: mode === 'production',
      format: 'esm',
      conditions: [mode],
      write: false,
      logLevel: 'silent',
    });
    return outputFiles[0]?.text ?? '';
  },
};

/** A part of each text of errors that bundlers neither escape nor wrap. */
async function developmentTexts(): Promise<string[]> {
  const tables = await import('../../src/dev/messages/main.js');
  const texts = Object.values(tables).flatMap((table) => Object.values(table as object));
  return texts.flatMap((text: string) => /[\w ,.:;]{25,}/.exec(text)?.[0] ?? []);
}

describe.each(Object.keys(bundlers))('%s', (name) => {
  const bundle = (mode: Mode) => bundlers[name]?.(mode) ?? Promise.resolve('');

  test('has the texts and checks of development in a development bundle', async () => {
    const [texts, code] = await Promise.all([developmentTexts(), bundle('development')]);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => !code.includes(text))).toEqual([]);
    expect(code.includes('did you mean')).toBe(true);
  });

  test('has none of them in a production bundle', async () => {
    const [texts, code] = await Promise.all([developmentTexts(), bundle('production')]);
    expect(code.includes('https://repose.example/e/')).toBe(true);
    expect(texts.filter((text) => code.includes(text))).toEqual([]);
    // A suggestion, a rule of an option, and the name of an option of other libraries.
    const others = ['did you mean', 'a whole number from 1, or Infinity', 'primaryKey'];
    expect(others.filter((text) => code.includes(text))).toEqual([]);
  });
});
