export { JsonReader as Json, JsonReader as Reader } from '../reader/json-reader.js';
