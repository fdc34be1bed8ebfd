import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { entryList } from '../lib/entry-list.mjs';
import { anchorOf } from '../lib/markdown.mjs';
import { address, built, content, root, site } from '../lib/paths.mjs';
import { searchedPart } from '../lib/searched-part.mjs';
import { sidebars } from '../lib/sidebars.mjs';

const DESCRIPTION =
  'Typed records, lists and forms for the data of a REST API, in TypeScript: edits are neither lost nor written over those of others without a word.';

export default defineConfig({
  title: 'Repose',
  description: DESCRIPTION,
  lang: 'en',
  srcDir: content,
  outDir: built,
  cacheDir: path.join(site, '.cache'),
  // The hash of each page in a file of its own: a page without inline data is allowed by a strict policy, and stays cached.
  metaChunk: true,
  markdown: {
    config(md) {
      showBraces(md);
      rememberColours(md);
    },
    // The contrast of the usual themes is too low on the background of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
  },
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  sitemap: { hostname: address },
  vite: {
    plugins: [
      llmstxt({
        domain: address.replace(/\/$/, ''),
        title: 'Repose',
        description: DESCRIPTION,
        // These are copied as they are: see `copyMarkdown`.
        ignoreFiles: ['api/**', 'e/**', 'code/**', 'project/**', 'playground.md', 'performance.md', 'documents.md'],
        ignoreFilesPerOutput: { llmsFullTxt: ['reference/options.md', 'reference/members/**'] },
        sidebar: ({ '/': guide, '/reference/': reference }) => [...guide, ...reference],
        customLLMsTxtTemplate:
          '# {title}\n\n{description}\n\n{details}\n\n## Table of Contents\n\n{toc}\n\n### API of each entry\n\n{entries}',
        customTemplateVariables: { entries: entryList() },
        // Guides are about types and elements in angle brackets.
        stripHTML: false,
      }),
    ],
    resolve: {
      alias: [
        // Pages show the texts of errors, which the production build leaves out.
        { find: /^repose$/, replacement: path.join(root, 'dist/index.js') },
        { find: /^repose\/(.+)$/, replacement: path.join(root, 'dist/$1.js') },
      ],
    },
    build: { chunkSizeWarningLimit: 4000 },
    server: { fs: { allow: [root] } },
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Start', link: '/guide/start' },
      { text: 'Guides', link: '/documents', activeMatch: '^/(guide/|documents)' },
      { text: 'Reference', link: '/reference/models', activeMatch: '^/(reference|dialects)/' },
      { text: 'API', link: '/api/' },
      { text: 'Errors', link: '/errors', activeMatch: '^/(errors|e/)' },
      { text: 'Playground', link: '/playground' },
      {
        text: 'More',
        items: [
          { text: 'Options', link: '/reference/options' },
          { text: 'Servers', link: '/servers' },
          { text: 'Performance', link: '/performance' },
          { text: 'Come from Ext JS', link: '/guide/ext-js' },
          { text: 'Stability', link: '/reference/stability' },
          { text: 'Changes', link: '/project/changelog' },
        ],
      },
    ],
    sidebar: sidebars(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render(source, env, md) {
          const { highlight } = md.options;
          // Colours take most of the time, and nobody searches for them.
          md.set({ highlight: null });
          try {
            return md.render(searchedPart(source, env.relativePath), env);
          } finally {
            md.set({ highlight });
          }
        },
      },
    },
    notFound: {
      title: 'There is no page at this address',
      quote: 'Search for what you need, or begin with the guides.',
      linkText: 'Guides by task',
      linkLabel: 'Guides by task',
      link: '/documents',
    },
    footer: { message: 'MIT licence. Everything on this site works without a connection to other hosts.' },
  },
});

/** Colours each code once: VitePress renders all pages for the browser and again for the files, and keeps too few of them. */
function rememberColours({ options }) {
  const { highlight } = options;
  const known = new Map();
  options.highlight = (...given) => {
    const key = given.slice(0, 3).join('\0');
    if (!known.has(key)) known.set(key, highlight(...given));
    return known.get(key);
  };
}

/** Shows two braces as they are written: pages are plain Markdown, and hold no expressions of Vue. */
function showBraces({ renderer: { rules } }) {
  for (const name of ['text', 'code_inline']) {
    const render = rules[name];
    rules[name] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
  }
}
