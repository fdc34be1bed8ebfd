/**
 * Bodies in XML, for Redmine, Rails and their like. Needs the package `@rgrove/parse-xml`.
 *
 * @module
 */
export { type XmlOptions, type XmlProxyConfig, xml } from './xml/xml-format.js';
