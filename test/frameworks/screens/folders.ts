import { Model, plain, reference } from 'repose';
import { TreeStore } from 'repose/tree';

/** The model of the screens with a tree. */
export class Folder extends Model.define({
  name: 'folder',
  fields: { id: 'int', parentId: reference('int', { defaultValue: 0 }), name: { type: 'string', defaultValue: '' } },
  proxy: { type: 'rest', url: '/api/folders', dialect: plain() },
}) {
  static override references() {
    return { parentId: Folder };
  }
}

export const tree: TreeStore<Folder> = new TreeStore({ model: Folder, sorters: ['name'], lazy: true, rootId: 0 });

/** Expands a collapsed node, and collapses an expanded one. A failed load is shown by the node. */
export function toggle(folder: Folder): void {
  if (tree.nodeOf(folder)?.expanded) tree.collapse(folder);
  else tree.expand(folder).catch(() => {});
}

declare global {
  interface Window {
    tree: TreeStore<Folder>;
  }
}

window.tree = tree;
void tree.load();
