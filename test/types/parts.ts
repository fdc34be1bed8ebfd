import { Model, type ModelPart } from 'repose';
import { is } from './equal.js';

// A field type of an application: `FieldTypes` declares its type, a part reads and writes it.
declare module 'repose' {
  interface FieldTypes {
    weight: [value: { readonly grams: number }, received: string];
  }
}
const weights: ModelPart = {
  name: 'weights',
  fieldTypes: {
    weight: {
      is: (value) => typeof value === 'object',
      read: (received) => ({ grams: Number.parseFloat(String(received)) }),
      write: (value) => String(value),
    },
  },
};
class AppModel extends Model { static override readonly parts = [...Model.parts, weights]; }
class Parcel extends AppModel.define({ fields: { id: 'int', net: 'weight', gross: { type: 'weight', allowNull: true } } }) {}
is<{ readonly grams: number } | undefined>()(new Parcel().net);
is<{ readonly grams: number } | null | undefined>()(new Parcel().gross);
// @ts-expect-error no such type
AppModel.define({ fields: { net: 'mass' } });
