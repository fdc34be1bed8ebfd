// Names that the examples in the comments of the source use without declaring them.
import { type Fork, fork as forkOf, Model, RestProxy, reference, Session, Store } from 'repose';
import { type Recorder, type Recording, record } from 'repose/devtools';
import { historyOf, type SessionHistory } from 'repose/history';
import * as Lib from 'repose/namespace';
import { indexedDbStorage, memoryStorage, Outbox } from 'repose/outbox';
import { TreeStore } from 'repose/tree';
import { xml } from 'repose/xml';

export class User extends Model.define({
  fields: { id: 'int', name: 'string', team: 'string', age: 'int' },
  proxy: { type: 'rest', url: '/users', noCache: false },
}) {}
export class Order extends Model.define({
  fields: { id: 'int', customer: 'string' },
  proxy: { type: 'rest', url: '/orders' },
}) {}
export class Line extends Model.define({
  fields: { id: 'int', orderId: reference('int'), sku: 'string' },
  proxy: { url: '/lines' },
}) {
  static override references(): { orderId: typeof Order } {
    return { orderId: Order };
  }
}
export class Task extends Model.define({
  fields: { id: 'int', title: 'string', ownerId: 'int' },
  proxy: { type: 'rest', url: '/tasks' },
}) {}

/** A model that refers to itself. */
export class Folder extends Model.define({
  fields: { id: 'int', parentId: reference('int', { allowNull: true }), name: 'string' },
  proxy: { url: '/folders' },
}) {
  static override references(): { parentId: typeof Folder } {
    return { parentId: Folder };
  }
}

export class Post extends Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/posts' } }) {}
export class Tag extends Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/tags' } }) {}
export class Tagging extends Model.define({
  fields: { id: 'int', postId: reference('int'), tagId: reference('int') },
  proxy: { type: 'rest', url: '/taggings' },
}) {
  static override references(): { postId: typeof Post; tagId: typeof Tag } {
    return { postId: Post, tagId: Tag };
  }
}

/** A base of several models. */
export class ApiModel extends Model.with({ proxy: { type: 'rest', baseUrl: '/api' } }) {}

export const user: User = new User({ id: 7, name: 'Ada' });
export const order: Order = new Order({ id: 7 });
export const post: Post = new Post({ id: 7 });
export const tag: Tag = new Tag({ id: 1 });
export const users: Store<User> = new Store({ model: User });
export const tasks: Store<Task> = new Store({ model: Task });
export const session: Session = new Session();
export const dialog: Fork = forkOf(session);
export const steps: SessionHistory = historyOf(session);
export const recorder: Recorder = record(session);
export const recording: Recording = recorder.recording();
export const proxy: RestProxy = new RestProxy({ url: '/users', noCache: false });
export const folder: Folder = new Folder({ id: 7 });
export const target: Folder = new Folder({ id: 8 });
export const tree: TreeStore<Folder> = new TreeStore({ model: Folder });
export const token: string = 'token';
export const show = (..._values: unknown[]): void => {};
export const outbox: Outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });
export { indexedDbStorage, Lib, Outbox, xml };
