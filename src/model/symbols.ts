// Keys of internal members of records and model classes. They are symbols, so that no field name can collide with them.

/** The raw row as the server last sent it. */
export const ROW: unique symbol = Symbol('row');
/** Cached converted values, by the field's slot; made when the first such value is read. */
export const CACHE: unique symbol = Symbol('cache');
/** The `RecordCore`, with edits, errors and listeners; made on first use, because most records never need one. */
export const CORE: unique symbol = Symbol('core');
/** The owners of the record, which are told of its changes: undefined, one owner, or a list of owners. */
export const OWNER: unique symbol = Symbol('owner');
/** A number that orders the record among the records of the store that held it first. */
export const RANK: unique symbol = Symbol('rank');
/** On the prototype of a class: the class itself, after its class fields were checked. */
export const CHECKED: unique symbol = Symbol('checked');
/** On the names of the fields that make up an id: the code of such ids. */
export const ID_PARTS: unique symbol = Symbol('idParts');
/** The definition of a model class. */
export const DEFINITION: unique symbol = Symbol('definition');
/** The settings of a model class, and the proxy made from them. */
export const SETTINGS: unique symbol = Symbol('settings');
/** Passed as second argument of a record's constructor if the first argument is a raw row. */
export const FROM_ROW: unique symbol = Symbol('fromRow');
/** On a model class: what `fieldsOf()` gives for it, once it was called. */
export const FIELD_INFOS: unique symbol = Symbol('fields');
/** In the type of a field that a function has declared: the code of the type. */
export const TYPE_CODE: unique symbol = Symbol('typeCode');
/** In the declaration of a field that refers to another model: the hooks of references. */
export const REFERENCES: unique symbol = Symbol('references');
/** In the declaration of an action: makes its function. */
export const ACTION: unique symbol = Symbol('action');
/** The key of a class that identifies it in caches. */
export const CLASS_KEY: unique symbol = Symbol('classKey');
