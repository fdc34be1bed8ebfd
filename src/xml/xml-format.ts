import { checkGiven, checkOptions } from '../dev/checks.js';
import { flag, oneOf, type Rules, text } from '../errors/option-rules.js';
import type { BodyCodec } from '../http/body-codec.js';
import type { JsonReaderConfig } from '../reader/json-reader.js';
import { formatPath } from '../util/data-path.js';
import type { JsonWriterConfig } from '../writer/json-writer.js';
import { parseBody } from './parse-body.js';
import { writeBody } from './write-body.js';

/** Options of `xml`. */
export interface XmlOptions {
  /** The element of a list, such as `issues`. */
  list: string;
  /** The element of one record, such as `issue`. */
  record: string;
  /** Attribute of a list with the number of all rows, such as `total_count`. @default that of the dialect or reader */
  total?: string;
  /** Whether words in the names of elements are joined by dashes, and in the names of members by underscores, as Rails does. @default false */
  dashes?: boolean;
  /** Whether elements that are written have the attributes `type` and `nil` of Rails. @default true */
  types?: boolean;
  /**
   * How lists inside of records are written: `nested`, as `<tags type="array"><tag>a</tag></tags>`, or `repeated`, as
   * `<tag>a</tag><tag>b</tag>`. @default 'nested'
   */
  lists?: 'nested' | 'repeated';
}

/** Options of a proxy that sends and reads XML. */
export interface XmlProxyConfig {
  readonly format: 'xml';
  readonly codec: BodyCodec;
  readonly reader: JsonReaderConfig;
  readonly writer: JsonWriterConfig;
}

const RULES: Rules<XmlOptions> = {
  list: text,
  record: text,
  total: text,
  dashes: flag,
  types: flag,
  lists: /* @__PURE__ */ oneOf('nested', 'repeated'),
};

/**
 * Options of a proxy whose server speaks XML, as Redmine and Rails do: addresses end in `.xml`, and bodies are documents. Give them with
 * the other options of the proxy; options of the dialect that read or wrap rows are replaced. Throws `DefinitionError` for a wrong option.
 *
 * @example
 * ```ts
 * class Issue extends Model.define({
 *   fields: { id: 'int', subject: 'string', due_date: 'dateonly' },
 *   proxy: {
 *     type: 'rest',
 *     url: '/issues',
 *     ...xml({ list: 'issues', record: 'issue', total: 'total_count' }),
 *   },
 * }) {}
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function xml(options: XmlOptions): XmlProxyConfig {
  checkOptions('xml', options, RULES);
  const { list, record, total, dashes = false, types = true, lists = 'nested' } = options;
  checkGiven('`xml.list`', list, text);
  checkGiven('`xml.record`', record, text);
  const settings = { list, record, dashes, types, lists };
  const path = (name: string) => formatPath([name]);
  return {
    format: 'xml',
    codec: {
      name: 'XML',
      mediaType: 'application/xml',
      write: (body) => writeBody(body, settings),
      parse: (answer) => parseBody(answer, settings),
    },
    reader: {
      rootProperty: path(list),
      record: { single: path(record) },
      ...(total !== undefined && { totalProperty: path(total) }),
    },
    writer: { rootProperty: path(record) },
  };
}
