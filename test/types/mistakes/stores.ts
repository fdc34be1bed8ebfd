import { Model, Store } from 'repose';

class User extends Model.define({ fields: { id: 'int', name: 'string', joined: 'date' }, proxy: { url: '/users' } }) {}
const users = new Store({ model: User });

// THROWS Type '"nmae"' is not assignable to type '"
new Store({ model: User, sorters: ['nmae'] });
// THROWS Type '"nmae"' is not assignable to type '"id" |
new Store({ model: User, sorters: [{ property: 'nmae' }] });
// THROWS Type '"nmae"' is not assignable to type '"
new Store({ model: User, filters: [{ property: 'nmae', value: 'x' }] });
// THROWS Type 'number' is not assignable to type 'string |
new Store({ model: User, filters: [{ property: 'name', value: 7 }] });
// THROWS Source has 1 element(s) but target requires 2
new Store({ model: User, filters: [{ property: 'joined', operator: 'between', value: [new Date()] }] });
// THROWS 'pagesize' does not exist in type 'StoreConfig<User, unknown>'. Did you mean to write 'pageSize'?
new Store({ model: User, pagesize: 25 });
// THROWS 'ulr' does not exist in type
new Store({ model: User, proxy: { type: 'rest', ulr: '/x' } });
// THROWS Argument of type '"nmae"' is not assignable to parameter of type '"
users.sort('nmae');
// THROWS Type '"nmae"' is not assignable to type '"
users.filter({ property: 'nmae', value: 'x' });
// THROWS Type '"has"' is not assignable to type 'CompareOperator | TextOperator | undefined'
users.filter({ property: 'name', operator: 'has', value: 'x' });
// THROWS 'nmae' does not exist in type
users.add({ nmae: 'x' });
// THROWS Argument of type '"lod"' is not assignable to parameter of type '"
users.on('lod', () => {});
