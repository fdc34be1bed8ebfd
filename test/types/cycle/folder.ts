import { Model, reference } from 'repose';
import { TreeStore } from 'repose/tree';
/** A model and its tree in one file: the model refers to itself, and its methods to the tree. */
export class Folder extends Model.define({
  name: 'folder',
  fields: { id: 'int', parentId: reference('int', { allowNull: true }), name: { type: 'string', defaultValue: '' }, size: 'int' },
}) {
  static override references() { return { parentId: Folder }; }
  get parent() { return Folder.loadReference(this, 'parentId'); }
  get above(): Folder | undefined { return folders.nodeOf(this)?.parent?.record; }
}
export const folders = new TreeStore({ model: Folder, sorters: ['name'], positionField: 'size' });
const parent: Promise<Folder | undefined> = new Folder().parent; void parent;
