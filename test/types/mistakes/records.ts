import { Model, action } from 'repose';
import * as z from 'zod';

class User extends Model.define({
  fields: { id: 'int', name: 'string', address: z.object({ street: z.string() }), full: { calculate: (): string => 'x' } },
  actions: { invite: action({ body: z.object({ by: z.string() }) }) },
}) {}
const user = new User();

// THROWS Property 'nmae' does not exist on type 'User'
user.nmae;
// THROWS Type 'number' is not assignable to type 'string'
user.name = 7;
// THROWS Cannot assign to 'full' because it is a read-only property
user.full = 'x';
// THROWS Cannot assign to 'street' because it is a read-only property
user.address.street = 'x';
// THROWS Argument of type '"nmae"' is not assignable to parameter of type 'Path<{
user.set('nmae', 'x');
// THROWS Argument of type '7' is not assignable to parameter of type 'string | ((old: string | undefined) => string | undefined) | undefined'
user.set('name', 7);
// THROWS 'nmae' does not exist in type 'RecordInput<{
user.set({ nmae: 'x' });
// THROWS no member 'stret' here
user.set('address.stret', 'x');
// THROWS Argument of type '"nmae"' is not assignable to parameter of type '"
user.get('nmae');
// THROWS 'nmae' does not exist in type 'RecordInput<{
new User({ nmae: 'x' });
// THROWS Property 'invte' does not exist on type
User.actions.invte(user, { by: 'x' });
// THROWS Type 'number' is not assignable to type 'string'
User.actions.invite(user, { by: 7 });
// THROWS Argument of type '"change"' is not assignable to parameter of type '"
user.on('change', () => {});
