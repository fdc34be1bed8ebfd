import { Model, type Source, type Store, differenceOf } from 'repose';
import { type CheckedState, type TreeIssue, type TreeNode, type TreeNodeState, TreeStore } from 'repose/tree';
import { Folder, folders } from './cycle/folder.js';
import { is } from './equal.js';

// ── a tree of a model that refers to itself ───────────────────────────────────
is<TreeStore<Folder>>()(folders);
is<Store<Folder>>()(folders.store);
const [first] = folders.list.get().slice();
is<Folder | undefined>()(first);
const folder = new Folder();
const node = folders.nodeOf(folder);
is<TreeNode<Folder> | undefined>()(node);
is<Folder | undefined>()(node?.parent?.record);
is<readonly TreeNode<Folder>[] | undefined>()(node?.children);
is<CheckedState | undefined>()(node?.checked);
is<Source<TreeNodeState> | undefined>()(node?.state);
is<readonly TreeIssue<Folder>[]>()(folders.issues);
is<readonly Folder[]>()(folders.checkedRecords);
is<Promise<Folder | undefined>>()(folders.reveal(7));
is<Promise<readonly Folder[]>>()(folders.expand(folder));
is<Promise<void>>()(folders.expandAll({ concurrency: 2, signal: new AbortController().signal }));
is<readonly Folder[]>()(folders.remove(folder));
folders.on('change', (change) => {
const { splices } = differenceOf(change);
is<number>()(splices.length);
});

// ── adding and moving ─────────────────────────────────────────────────────────
is<Folder>()(folders.append(null, { name: 'a' }));
is<Folder>()(folders.insert(folder, 0, folder));
folders.move(folder, null);
// @ts-expect-error no such field
folders.append(null, { title: 'a' });
// @ts-expect-error a folder is wanted, not its id
folders.move(folder, 7);
// @ts-expect-error the field holds texts
folders.insert(folder, 0, { name: 7 });

// ── options ───────────────────────────────────────────────────────────────────
new TreeStore({ model: Folder, lazy: (above) => ({ params: { parentId: is<Folder | undefined>()(above) } }) });
new TreeStore({ model: Folder, lazy: true, rootFilter: [{ property: 'name', value: 'a' }], folderSort: true, leafField: 'size' });
// @ts-expect-error no such field
new TreeStore({ model: Folder, parentField: 'parent' });
// @ts-expect-error no such field
new TreeStore({ model: Folder, sorters: ['title'] });
// @ts-expect-error no such field
new TreeStore({ model: Folder, rootFilter: { property: 'title', value: 'a' } });
// @ts-expect-error not one of the values
new TreeStore({ model: Folder, orphans: 'hide' });
folders.filter({ property: 'name', operator: 'contains', value: 'a' }, { autoExpand: false });
folders.filter([{ filterFn: (each) => each.size === 1 }]);
// @ts-expect-error the field holds texts
folders.filter({ property: 'name', value: 7 });

// ── in functions ──────────────────────────────────────────────────────────────
function paths<M extends Model>(tree: TreeStore<M>, record: M): M[] {
  const path: M[] = [];
  for (let at = tree.nodeOf(record); at; at = at.parent) path.unshift(at.record);
  return path;
}
is<Folder[]>()(paths(folders, folder));
