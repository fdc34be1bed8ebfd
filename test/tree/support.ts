import { Model, plain, reference } from 'repose';
import { type RestServer, restServer } from 'repose/testing';
import type { TreeNode, TreeStore } from 'repose/tree';

export class Folder extends Model.define({
  name: 'folder',
  fields: {
    id: 'int',
    parentId: reference('int', { allowNull: true }),
    name: { type: 'string', defaultValue: '' },
    position: { type: 'int', allowNull: true },
  },
}) {
  static override references() {
    return { parentId: Folder };
  }
}

export interface FolderRow {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
  readonly position?: number;
}

/** Rows of names: `a` is a root, `a.b` is below it. */
export function rowsOf(...names: string[]): FolderRow[] {
  return names.map((name, at) => {
    const parent = name.split('.').slice(0, -1).join('.');
    return { id: at + 1, parentId: parent ? names.indexOf(parent) + 1 : null, name };
  });
}

/** A server with folders, and the model of its folders. */
export function folders(
  rows: readonly FolderRow[],
  options: Partial<Parameters<typeof restServer>[0]> = {},
): { server: RestServer; model: typeof Folder; lines: () => string[] } {
  const server = restServer({ collections: { '/folders': [...rows] }, ...options });
  const model = Folder.with({
    proxy: { type: 'rest', url: '/folders', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
  }) as typeof Folder;
  const lines = () =>
    server.requests.map(
      ({ method, url, body }) => `${method} ${url.replace(server.baseUrl, '')}${body ? ` ${body}` : ''}`,
    );
  return { server, model, lines };
}

/** The visible records, one line each: `-` stands for an expanded node, `+` for a collapsed one. */
export function shown(tree: TreeStore<Folder>): string[] {
  return tree.list
    .get()
    .slice()
    .map((record) => lineOf(tree.nodeOf(record) as TreeNode<Folder>));
}

function lineOf({ depth, leaf, expanded, record }: TreeNode<Folder>): string {
  return `${'  '.repeat(depth)}${leaf ? '' : expanded ? '-' : '+'}${record.name}`;
}

export function byName(tree: TreeStore<Folder>, name: string): Folder {
  const found = [...tree.store].find((record) => record.name === name);
  if (!found) throw new Error(`no folder ${name}`);
  return found;
}
