import { decimal, fieldType, Model } from 'repose';
import { is } from './equal.js';

// A field type of an application: `FieldTypes` declares its type, `fieldType()` reads and writes it.
declare module 'repose' {
  interface FieldTypes {
    weight: [value: { readonly grams: number }, received: string];
  }
}
const weight = fieldType('weight', {
  is: (value) => typeof value === 'object',
  read: (received) => ({ grams: Number.parseFloat(String(received)) }),
  write: (value) => String(value),
});
class Parcel extends Model.define({ fields: { id: 'int', net: weight(), gross: weight({ allowNull: true }) } }) {}
is<{ readonly grams: number } | undefined>()(new Parcel().net);
is<{ readonly grams: number } | null | undefined>()(new Parcel().gross);
// @ts-expect-error no such type
Model.define({ fields: { net: 'mass' } });
// @ts-expect-error the name of a type does not bring its code
Model.define({ fields: { net: 'weight' } });
// @ts-expect-error nor here
Model.define({ fields: { net: { type: 'weight' } } });
// @ts-expect-error nobody has declared this name
fieldType('length', { is: () => true, read: () => undefined });
// @ts-expect-error a type of the package
fieldType('decimal', { is: () => true, read: () => undefined });
// @ts-expect-error
fieldType('date', { is: () => true, read: () => undefined });
// @ts-expect-error misspelt option
Model.define({ fields: { net: decimal({ alowNull: true }) } });
