import { json, length, Model } from 'repose';
import * as z from 'zod';

// THROWS 'save' is a member of every record: give the field another name and set its mapping
Model.define({ fields: { id: 'int', save: 'string' } });
// THROWS 'toString' is a member of every record: give the field another name and set its mapping
Model.define({ fields: { id: 'int', toString: 'string' } });
// THROWS 'strnig' is no field type
Model.define({ fields: { id: 'int', name: 'strnig' } });
// THROWS 'strnig' is no field type
Model.define({ fields: { id: 'int', name: { type: 'strnig' } } });
// THROWS 'alowNull' is no option of a field
Model.define({ fields: { id: 'int', name: { type: 'string', alowNull: true } } });
// THROWS Type 'string' is not assignable to type 'boolean
Model.define({ fields: { id: 'int', name: { type: 'string', allowNull: 'yes' } } });
// THROWS the schema of 'age' gives out another type than it takes in: declare it as { type, serialize }
Model.define({ fields: { id: 'int', age: z.string().transform(Number) } });
// THROWS the schema of 'age' gives out another type than it takes in: declare it as { type, serialize }
Model.define({ fields: { id: 'int', age: { type: z.string().transform(Number) } } });
// THROWS => Validator' is not assignable to type 'Validator'
Model.define({ fields: { id: 'int', name: { type: 'string', validators: [length] } } });
// THROWS Type '"uid"' is not assignable to type '"key" | IdParts<readonly "key"[]>'
Model.define({ fields: { key: 'int' }, idProperty: 'uid' });
// THROWS 'feilds' does not exist in type 'ModelConfig<
Model.define({ fields: { id: 'int' }, feilds: {} });

interface UserDto {
  id: number;
  email: string | null;
}
// THROWS the type of 'email' is not the type it has in the DTO
Model.define({ matches: json<UserDto>(), fields: { id: 'int', email: 'string' } });
// THROWS the DTO has no 'mail'
Model.define({ matches: json<UserDto>(), fields: { id: 'int', mail: 'string' } });
// THROWS this is no field type
Model.define({ fields: { id: 'int', name: 7 } });
// THROWS this is no field type
Model.define({ fields: { id: 'int', name: String } });
// THROWS this is no field type
Model.define({ fields: { id: 'int', name: ['string'] } });
// THROWS this is no field type
Model.define({ fields: { id: 'int', name: { type: String } } });
