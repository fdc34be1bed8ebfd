export { JsonWriter as Json, JsonWriter as Writer } from '../writer/json-writer.js';
