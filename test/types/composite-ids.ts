import { type CompositeId, Model, type RecordId, Store, selectionOf, compositeId, copyOf, receive } from 'repose';
import { is } from './equal.js';

class Line extends Model.define({
  name: 'line',
  fields: { orderId: 'int', line: 'string', sku: 'string' },
  idProperty: compositeId('orderId', 'line'),
  proxy: { url: '/orders/{orderId}/lines' },
}) {}

const line = await Line.load([7, 'a']);
is<readonly [number, string]>()(line.id);
is<readonly [number, string] | RecordId | undefined>()(line.getId());
is<readonly [number, string]>()(line.get('id'));
is<number | undefined>()(line.orderId);
const [order, no] = line.id;
is<number>()(order);
is<string>()(no);
// @ts-expect-error it follows its parts
line.id = [7, 'b'];

const lines = new Store({ model: Line });
is<Line | undefined>()(lines.getById([7, 'a']));
selectionOf(lines).select([7, 'a'], line);
await lines.load({ id: [7, 'a'] });
receive(lines, [], { removed: [[7, 'a']] });
is<Line>()(copyOf(line, [7, 'c']));
is<CompositeId>()([7, 'a'] as CompositeId);

class Task extends Model.define({ fields: { no: 'int', title: 'string' }, idProperty: 'no' }) {}
is<RecordId | undefined>()(new Task().getId());
// @ts-expect-error an ordinary model has no member `id` if its id has another name
new Task().id;
// @ts-expect-error no such field
Model.define({ fields: { no: 'int' }, idProperty: 'nu' });
// @ts-expect-error no such field
Model.define({ fields: { no: 'int', line: 'int' }, idProperty: compositeId('no', 'lien') });
