import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Extension } from 'repose';
import * as repose from 'repose';
import * as diagnostics from 'repose/diagnostics';
import { LAYERS } from 'repose/extend';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';
import { membersOf } from './declarations.js';
import { readPage, root, tableBelow } from './markdown.js';

const { text } = readPage('docs/inside/architecture.md');
const { text: extensions } = readPage('docs/reference/extensions.md');
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');
const HOOKS = ['prepare', 'encode', 'send', 'write', 'settled', 'answered', 'keeper'] as const;

/** Every extension that the package brings. */
async function shipped(): Promise<Extension[]> {
  const { auth, conflicts, etags, formBodies, idempotency, rateLimit, retry, streaming, telemetry } = repose;
  const outbox = await openOutbox({ scope: 'test', storage: memoryStorage(), autoStart: false });
  const { extensions } = outbox;
  await outbox.close();
  return [
    ...[idempotency(), ...extensions, conflicts(), ...retry(), auth({ renew: () => true }), rateLimit(), etags()],
    ...[streaming(), formBodies(), telemetry({ operation: () => undefined }), diagnostics.diagnostics()],
  ];
}

/** The name of a layer, if it has one, and its number. */
function layerText(layer: number): string {
  const [name] = Object.entries(LAYERS).find(([, number]) => number === layer) ?? [];
  return name ? `${name} ${layer}` : String(layer);
}

describe('docs/inside/architecture.md', () => {
  test('has the layers that lint enforces, in their order', () => {
    const { forbidden } = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs')) as {
      forbidden: { name: string; comment: string }[];
    };
    const held = forbidden.flatMap(({ name }) => /^layer-(\w+)$/.exec(name)?.[1] ?? []);
    const named = tableBelow(text, '## Layers').flatMap(([cell]) => bare(cell).split(', '));
    expect(named).toEqual(held);
  });

  test('has the table from the comment of classifyOutcome', () => {
    const source = readFileSync(path.join(root, 'src/model/classify-outcome.ts'), 'utf8').replace(/^ \* ?/gm, '');
    expect(tableBelow(text, '### What the end of a write says')).toEqual(
      tableBelow(source, 'by the first line that fits:'),
    );
  });

  test('names only files and folders that exist', () => {
    const files = [...text.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});

describe('docs/reference/extensions.md', () => {
  test('has every extension of the package with its layer and its hooks, outermost first', async () => {
    const byName = new Map((await shipped()).map((each) => [each.name, each]));
    const expected = [...byName.values()]
      .sort((a, b) => a.layer - b.layer)
      .map((each) => [each.name, layerText(each.layer), HOOKS.filter((hook) => each[hook]).join(', ')]);
    const rows = tableBelow(extensions, '## The extensions').map((cells) => cells.map(bare));
    expect(rows.map(([name, , layer, hooks]) => [name, layer, hooks])).toEqual(expected);
    for (const factory of rows.flatMap(([, from = '']) => from.match(/\w+(?=\(\))/g) ?? [])) {
      expect({ ...repose, ...diagnostics }).toHaveProperty(factory);
    }
  });

  test('lists every factory of extensions', () => {
    const files = readdirSync(path.join(root, 'src/extensions'), { recursive: true, encoding: 'utf8' });
    const factories = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(path.join(root, 'src/extensions', file), 'utf8').matchAll(
          /^export function (\w+)\([^)]*\): (?:readonly )?Extension\b/gm,
        ),
      ])
      .map(([, name]) => `${name}()`);
    expect(factories.length).toBeGreaterThan(5);
    const table = tableBelow(extensions, '## The extensions').map(([, from]) => bare(from));
    expect(factories.filter((name) => !table.some((from) => from.split(', ').includes(name)))).toEqual([]);
  });

  test('has a sentence for each hook', () => {
    const declared = membersOf('src/extension/extension.ts', 'Extension').map(({ name }) => name);
    const rows = tableBelow(extensions, '## How to write an extension').map(([hook]) => bare(hook).replace(/\(.*/, ''));
    expect(rows.sort()).toEqual(declared.filter((name) => name !== 'name' && name !== 'layer').sort());
  });

  test('links to every example of an extension', () => {
    const examples = readdirSync(path.join(root, 'examples/extensions'));
    expect(examples.filter((file) => !extensions.includes(`(../../examples/extensions/${file})`))).toEqual([]);
  });
});
