// Members of records and model classes that no field name can collide with.

/** The raw row as the server last gave it. */
export const ROW: unique symbol = Symbol('row');
/** Values that differ from what was received, by the field's slot; made on the first such read. */
export const CACHE: unique symbol = Symbol('cache');
/** Everything that most records never need: edits, errors, listeners; made on first need. */
export const CORE: unique symbol = Symbol('core');
/** Who holds the record and hears of its changes. */
export const OWNER: unique symbol = Symbol('owner');
/** The record's place among the records of the store that held it first: a number that only its order counts of. */
export const RANK: unique symbol = Symbol('rank');
/** On the prototype of a class: the class itself once its class fields were looked at. */
export const CHECKED: unique symbol = Symbol('checked');
/** The definition behind a model class. */
export const DEFINITION: unique symbol = Symbol('definition');
/** The configuration of a model class, and the proxy made from it. */
export const SETTINGS: unique symbol = Symbol('settings');
/** Second argument of a record's constructor: the first is a raw row. */
export const FROM_ROW: unique symbol = Symbol('fromRow');
