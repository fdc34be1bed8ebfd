import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformAsync } from '@babel/core';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import react from '@vitejs/plugin-react';
import vue from '@vitejs/plugin-vue';
import compiler from 'babel-plugin-react-compiler';
import { type AliasOptions, build, type PluginOption } from 'vite';
import solid from 'vite-plugin-solid';
import { angular } from './angular.js';

/** A framework with screens in `screens/FRAMEWORK/`. */
/** The compiler of Solid, for tests that build both sides of a page. */
export { solid };

export type Framework = 'react' | 'vue' | 'svelte' | 'solid' | 'angular';

/** How a screen is built. */
export interface BuildOptions {
  /**
   * `'development'` builds the framework with its warnings and checks, such as the double effects of React's StrictMode.
   * @default 'production'
   */
  readonly mode?: 'production' | 'development';
  /** Whether the React Compiler compiles the screen. Bindings are not compiled, as in an application. @default false */
  readonly compiler?: boolean;
  /** Whether to build `src/server` of an example, for Node, with all of its packages in one file. @default false */
  readonly server?: boolean;
}

/** The files of a page. */
export interface BuiltScreen {
  readonly html: string;
  readonly script: string;
  /** The style sheet; `''` without one. */
  readonly style: string;
}

const folder = import.meta.dirname;
const root = path.resolve(folder, '../..');
const source = path.join(root, 'src') + path.sep;
const examples = path.join(root, 'examples') + path.sep;
const entry = path.join(folder, 'virtual-entry.js');

const extensions: Readonly<Record<Framework, string>> = {
  react: 'tsx',
  vue: 'vue',
  svelte: 'svelte',
  solid: 'tsx',
  angular: 'ts',
};

/**
 * Builds `screens/FRAMEWORK/NAME` with Vite, in memory; a name such as `examples/vue` builds `src/main` of that example. Throws an error
 * with the compiler's message if the screen has a mistake.
 */
export async function buildScreen(
  framework: Framework,
  name: string,
  options: BuildOptions = {},
): Promise<BuiltScreen> {
  const { mode = 'production', server = false } = options;
  const isExample = name.startsWith('examples/');
  const screen = isExample
    ? path.join(root, name, server ? 'src/server' : 'src/main')
    : path.join(folder, 'screens', framework, `${name}.${extensions[framework]}`);
  const before = process.env.NODE_ENV;
  // Vite takes the mode of the frameworks' packages from here.
  process.env.NODE_ENV = mode;
  try {
    const [result] = [
      await build({
        configFile: false,
        root: folder,
        mode,
        logLevel: 'warn',
        define: framework === 'angular' && mode === 'production' ? { ngDevMode: 'false' } : {},
        resolve: { alias: reposeAlias() },
        plugins: [entryOf(screen, framework, isExample), packagesForSource(), pluginsOf(framework, screen, options)],
        ssr: server ? { noExternal: true } : {},
        build: {
          write: false,
          ssr: server,
          minify: false,
          modulePreload: false,
          cssCodeSplit: false,
          target: 'es2022',
          chunkSizeWarningLimit: 10_000,
          rolldownOptions: { input: entry, output: { codeSplitting: false }, checks: { pluginTimings: false } },
        },
      }),
    ].flat();
    if (!result || !('output' in result)) throw new Error(`Vite wrote no files for ${screen}`);
    const { output } = result;
    const style = output.flatMap((file) =>
      file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
    );
    return { html: page(name), script: output[0].code, style: style.join('\n') };
  } finally {
    process.env.NODE_ENV = before;
  }
}

function page(title: string): string {
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>${title}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/screen.css">
  <div id="root"></div>
  <script type="module" src="/screen.js"></script>
</html>`;
}

/** The plugins with which a development server shows a screen of React, and replaces its code. */
export function reactForDevelopment(): PluginOption {
  return [packagesForSource(), react()];
}

/** The public entries of Repose, as their sources: a screen needs no build of the package. */
export function reposeAlias(): AliasOptions {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { exports: object };
  return Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === 'string') return [];
    const file = path.basename((target as { default: string }).default, '.js');
    return [{ find: new RegExp(`^repose${name.slice(1)}$`), replacement: `${source}${file}.ts` }];
  });
}

/** The first module of the page: mounts the screen with the framework's `mount`, or imports an example, which mounts itself. */
function entryOf(screen: string, framework: Framework, isExample: boolean): PluginOption {
  const mount = path.join(folder, 'screens', framework, 'mount');
  // Packages of Angular are published half compiled. The tools of an application compile the rest; here the page does it.
  const compiler = framework === 'angular' ? `import '@angular/compiler';\n` : '';
  return {
    name: 'screen-entry',
    enforce: 'pre',
    resolveId: (id) => (id === entry ? id : undefined),
    load(id) {
      if (id !== entry) return undefined;
      if (isExample) return `${compiler}import ${JSON.stringify(screen)};`;
      return `import { mount } from ${JSON.stringify(mount)};\nimport Screen from ${JSON.stringify(screen)};\nmount(Screen);`;
    },
  };
}

/** Sources and examples of Repose get the packages of this folder, because the frameworks are not installed at the root. */
export function packagesForSource(): PluginOption {
  return {
    name: 'packages-for-source',
    enforce: 'pre',
    resolveId(id, importer, options) {
      const isOutside = importer?.startsWith(source) || importer?.startsWith(examples);
      if (!isOutside || /^(\.|\/|repose(\/|$))/.test(id)) return undefined;
      return this.resolve(id, path.join(folder, 'build.ts'), { ...options, skipSelf: true });
    },
  };
}

function pluginsOf(
  framework: Framework,
  screen: string,
  { mode, compiler: isCompiled = false }: BuildOptions,
): PluginOption {
  switch (framework) {
    case 'react':
      return [isCompiled && reactCompiler(), react()];
    case 'vue':
      return vue();
    case 'svelte':
      return svelte({ configFile: false, compilerOptions: { dev: mode === 'development' } });
    case 'solid':
      return solid({ dev: mode === 'development' });
    case 'angular':
      return angular(screen);
  }
}

/** Compiles the screens by the React Compiler. Vite does the rest: types and JSX are left as they are. */
function reactCompiler(): PluginOption {
  const screens = path.join(folder, 'screens') + path.sep;
  return {
    name: 'react-compiler',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.startsWith(screens) || !id.endsWith('.tsx')) return undefined;
      const compiled = await transformAsync(code, {
        filename: id,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ['jsx', 'typescript'] },
        plugins: [[compiler, { panicThreshold: 'all_errors' }]],
      });
      return compiled?.code ? { code: compiled.code, map: compiled.map as null } : undefined;
    },
  };
}
