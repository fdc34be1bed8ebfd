import { decimal, Model, plain, type RestProxyConfig, Store } from 'repose';
import { redmine } from 'repose/dialects';
import { type XmlOptions, xml } from 'repose/xml';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
const answer = (text: string, reply: Reply = {}): Reply => ({
  headers: { 'Content-Type': 'application/xml; charset=utf-8' },
  text: `${PROLOG}${text}`,
  ...reply,
});
/** The body that was sent last, without the prolog. */
const sent = () => {
  expect(server.last.headers['content-type']).toBe('application/xml');
  expect(server.last.text.startsWith(`${PROLOG}\n`)).toBe(true);
  return server.last.text.slice(PROLOG.length + 1);
};

describe('Redmine, as version 5.0.4 answers', () => {
  class Issue extends Model.define({
    name: 'issue',
    fields: {
      id: 'int',
      subject: 'string',
      description: { type: 'string', allowNull: true },
      projectName: { type: 'string', mapping: 'project.name', persist: false },
      tracker_id: { type: 'int', mapping: 'tracker.id' },
      due_date: { type: 'dateonly', allowNull: true },
      is_private: 'boolean',
      spent_hours: 'number',
      created_on: 'date',
    },
    proxy: server.proxy('/issues', {
      dialect: redmine({ record: 'issue' }),
      ...xml({ list: 'issues', record: 'issue' }),
    }),
  }) {}
  const ISSUE =
    '<issue><id>1</id><project id="1" name="Alpha"/><tracker id="1" name="Bug"/><status id="1" name="New" is_closed="false"/><priority id="1" name="Low"/><author id="1" name="Redmine Admin"/><subject>Fish &amp; chips &lt;b&gt;</subject><description/><start_date>2026-11-23</start_date><due_date/><done_ratio>0</done_ratio><is_private>false</is_private><estimated_hours/><total_estimated_hours/><spent_hours>0.0</spent_hours><total_spent_hours>0.0</total_spent_hours><created_on>2026-11-23T20:34:11Z</created_on><updated_on>2026-11-23T20:34:11Z</updated_on><closed_on/></issue>';

  test('reads a list with its total, converts texts by the types of fields, and pages by .xml', async () => {
    server.reply(answer(`<issues total_count="61" offset="25" limit="25" type="array">${ISSUE}</issues>`));
    const issues = new Store({ model: Issue, pageSize: 25, remoteSort: true, sorters: ['due_date'] });
    await issues.load({ page: 2 });
    expect(server.lines).toEqual(['GET /issues.xml?offset=25&limit=25&sort=due_date']);
    expect(server.last.headers['accept']).toBe('application/xml');
    expect(issues.total).toBe(61);
    expect(issues.getAt(0)?.$.data).toEqual({
      id: 1,
      subject: 'Fish & chips <b>',
      description: null,
      projectName: 'Alpha',
      tracker_id: 1,
      due_date: null,
      is_private: false,
      spent_hours: 0,
      created_on: new Date('2026-11-23T20:34:11Z'),
    });
    expect(issues.getAt(0)?.$.errors).toEqual({});
  });

  test('reads an empty list', async () => {
    server.reply(answer('<issues total_count="0" offset="0" limit="25" type="array"></issues>'));
    const issues = new Store({ model: Issue, pageSize: 25 });
    await issues.load();
    expect([issues.count, issues.total]).toEqual([0, 0]);
  });

  test('creates, and takes the id of the response', async () => {
    server.reply(answer(ISSUE, { status: 201, headers: { Location: `${server.url}/issues/1` } }));
    const issue = new Issue({ subject: 'Fish & chips <b>', tracker_id: 1, due_date: null, is_private: false });
    await issue.save();
    expect([server.last.method, server.last.url]).toEqual(['POST', '/issues.xml']);
    expect(sent()).toBe(
      '<issue><subject>Fish &amp; chips &lt;b&gt;</subject><tracker_id type="integer">1</tracker_id><due_date nil="true"/><is_private type="boolean">false</is_private></issue>',
    );
    expect([issue.id, issue.phantom, issue.projectName]).toEqual([1, false, 'Alpha']);
  });

  test('updates, erases, and accepts answers without a body', async () => {
    server.reply(answer(ISSUE), { status: 204 }, { status: 204 });
    const issue = await Issue.load(1);
    issue.subject = 'New';
    await issue.save();
    expect(sent()).toBe('<issue><subject>New</subject></issue>');
    await issue.erase();
    expect(server.lines).toEqual(['GET /issues/1.xml', 'PATCH /issues/1.xml', 'DELETE /issues/1.xml']);
    expect(server.last.text).toBe('');
  });

  test('reads its errors by field', async () => {
    server.reply(answer('<errors type="array"><error>Subject cannot be blank</error></errors>', { status: 422 }));
    await expect(new Issue({ subject: 'x' }).save()).rejects.toMatchObject({
      code: 'validation',
      issues: [{ path: ['subject'], message: 'Subject cannot be blank' }],
    });
    server.reply({ status: 404, headers: { 'Content-Type': 'application/xml' }, text: '' });
    await expect(Issue.load(99)).rejects.toMatchObject({ code: 'http', status: 404 });
  });
});

describe('Rails, as `to_xml` of version 6.1 writes', () => {
  class User extends Model.define({
    name: 'user',
    naming: 'snake',
    fields: {
      ...({ id: 'int', name: 'string', nick: 'string', age: { type: 'int', allowNull: true } } as const),
      ...({ admin: 'boolean', balance: decimal(), ratio: 'number', createdAt: 'date' } as const),
      ...({ tags: 'json', address: 'json' } as const),
    },
    proxy: server.proxy('/users', { dialect: plain(), ...xml({ list: 'users', record: 'user', dashes: true }) }),
  }) {}
  const USER = `<user>
    <id type="integer">1</id>
    <name>Ada</name>
    <nick></nick>
    <age nil="true"/>
    <admin type="boolean">false</admin>
    <balance type="decimal">10.50</balance>
    <ratio type="float">0.25</ratio>
    <born type="date">1815-12-10</born>
    <created-at type="dateTime">2026-11-21T07:36:54Z</created-at>
    <tags type="array">
      <tag>a</tag>
      <tag>b</tag>
    </tags>
    <address>
      <street>Main</street>
      <zip-code>1</zip-code>
    </address>
    <big type="integer">12345678901234567890</big>
  </user>`;
  const WRITTEN =
    '<user><id type="integer">1</id><name>Ada</name><nick type="string"></nick><age nil="true"/><admin type="boolean">true</admin><balance>10.50</balance><ratio type="float">0.25</ratio><born>1815-12-10</born><created-at>2026-11-21T07:36:54Z</created-at><tags type="array"><tag>a</tag><tag>b</tag></tags><address><street>Main</street><zip-code>1</zip-code></address><big type="integer">12345678901234567890</big></user>';
  const Put = User.with({ proxy: { actionMethods: { update: 'PUT' } } });

  test('reads types, null, dashes, lists and objects', async () => {
    server.reply(answer(`\n<users type="array">\n  ${USER}\n</users>\n`));
    const users = new Store({ model: User, pageSize: 0 });
    await users.load();
    expect(users.getAt(0)?.$.data).toEqual({
      ...{ id: 1, name: 'Ada', nick: '', age: null, admin: false, balance: '10.50', ratio: 0.25 },
      createdAt: new Date('2026-11-21T07:36:54Z'),
      tags: ['a', 'b'],
      address: { street: 'Main', zip_code: '1' },
    });
    expect(users.getAt(0)?.$.errors).toEqual({});
  });

  test('sends the whole row as it was received, with every digit', async () => {
    server.reply(answer(USER), { status: 204 });
    const user = await Put.load(1);
    user.admin = true;
    await user.save();
    expect(sent()).toBe(WRITTEN);
  });

  test('sends the edited fields of a PATCH under the element of the record', async () => {
    server.reply(answer(USER), { status: 204 });
    const user = await User.load(1);
    user.name = 'Ada "Countess" Lovelace';
    await user.save();
    expect([server.last.method, sent()]).toEqual([
      'PATCH',
      '<user><name>Ada &quot;Countess&quot; Lovelace</name></user>',
    ]);
  });

  test('writes several records as a list', async () => {
    const Bulk = User.with({ proxy: { batchActions: true } });
    const users = new Store({ model: Bulk, pageSize: 0 });
    users.add({ name: 'a' }, { name: 'b' });
    server.reply(answer('<users type="array"><user><id>7</id></user><user><id>8</id></user></users>', { status: 201 }));
    (await users.sync()).orThrow();
    expect(sent()).toBe('<users type="array"><user><name>a</name></user><user><name>b</name></user></users>');
    expect(users.getRange().map(({ id }) => id)).toEqual([7, 8]);
  });

  test.each([
    ["<errors>\n  <error>Name can't be blank</error>\n</errors>", [], "Name can't be blank"],
    ['<errors><name type="array"><name>can\'t be blank</name></name></errors>', ['name'], "can't be blank"],
  ])('reads the errors %s', async (text, path, message) => {
    server.reply(answer(text, { status: 422 }));
    await expect(new User({ name: '' }).save()).rejects.toMatchObject({ issues: [{ path, message }] });
  });

  test('reads lists without types, also an empty one', async () => {
    const users = new Store({ model: User, pageSize: 0 });
    server.reply(answer('<users><user><id>1</id><name>Ada</name></user></users>'), answer('<users/>'));
    await users.load();
    expect(users.getAt(0)?.name).toBe('Ada');
    await users.reload();
    expect(users.count).toBe(0);
  });
});

describe('a document', () => {
  const { codec } = xml({ list: 'rows', record: 'row', dashes: true });
  const parse = (inside: string) => (codec.parse(`<row>${inside}</row>`) as { row: unknown }).row;
  const write = (row: unknown, options: Partial<XmlOptions> = {}) =>
    xml({ list: 'rows', record: 'row', ...options })
      .codec.write({ row })
      .replace(`${PROLOG}\n`, '');

  test.each<[string, string, unknown]>([
    ['entities', '<a>&lt;&#65;&#x1F600;&amp;&quot;&apos;</a>', { a: '<A😀&"\'' }],
    ['CDATA and comments', '<a>1<![CDATA[<b>&amp;]]><!-- no -->2</a>', { a: '1<b>&amp;2' }],
    ['space in texts', '<a>  x\n</a>', { a: '  x\n' }],
    ['attributes', '<a id="1" name="x"/>', { a: { id: '1', name: 'x' } }],
    ['a text with attributes', '<a currency="EUR">5</a>', { a: { currency: 'EUR', '#text': '5' } }],
    ['attributes beside elements', '<a id="1"><b>2</b></a>', { a: { id: '1', b: '2' } }],
    ['an element with the name of an attribute', '<a id="1"><id>2</id></a>', { a: { id: '2' } }],
    ['repeated elements', '<a>1</a><b>x</b><a>2</a>', { a: ['1', '2'], b: 'x' }],
    ['a list of one', '<boxes><box>1</box></boxes><cities><city>x</city></cities>', { boxes: ['1'], cities: ['x'] }],
    ['no list', '<lists><list>1</list><other>2</other></lists>', { lists: { list: '1', other: '2' } }],
    ['namespaces', '<x:a xmlns:x="urn:x" xmlns="urn:y"><b xsi:nil="true"/></x:a>', { 'x:a': { b: null } }],
    ['an own attribute `type`', '<a type="list"><b>1</b></a>', { a: { type: 'list', b: '1' } }],
    ['a boolean as a digit', '<a type="boolean">1</a><b type="boolean">maybe</b>', { a: true, b: 'maybe' }],
    ['odd numbers', '<a type="integer">007</a><b type="float">NaN</b>', { a: '007', b: 'NaN' }],
    ['null and empty text', '<a/><b></b><c />', { a: null, b: '', c: null }],
  ])('reads %s', (_, inside, expected) => {
    expect(parse(inside)).toEqual(expected);
  });

  test('is data: names of elements and attributes reach no prototype', () => {
    const row = parse(
      '<__proto__><polluted>1</polluted></__proto__><constructor __proto__="x">1</constructor>',
    ) as object;
    expect(Object.keys(row)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  test.each([
    ['an unclosed element', '<row><a></row>', /Mismatched|Missing end tag/i],
    ['two roots', '<row/><row/>', /Extra content/],
    ['an unknown entity', '<row>&nbsp;</row>', /entity/i],
    [
      'an entity that the document declares, of a file or of others',
      '<!DOCTYPE row [<!ENTITY a "aaaa"><!ENTITY x SYSTEM "file:///etc/passwd">]><row>&x;&a;</row>',
      /entity/i,
    ],
  ])('is malformed with %s', async (_, text, message) => {
    class Row extends Model.define({
      fields: { id: 'int' },
      proxy: server.proxy('/rows', xml({ list: 'rows', record: 'row' })),
    }) {}
    server.reply({ text });
    const error = await Row.load(1).catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: 'ReadError', message: expect.stringContaining('instead of XML: check `url`') });
    expect((error as Error).message).toMatch(message);
  });

  test.each([900, 1001, 100_000])('nested %d levels deep is read, or refused as too deep', async (levels) => {
    class Row extends Model.define({
      fields: { id: 'int' },
      proxy: server.proxy('/rows', xml({ list: 'rows', record: 'row' })),
    }) {}
    server.reply({ text: `<row><id>1</id>${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}</row>` });
    if (levels < 1000) expect((await Row.load(1)).id).toBe(1);
    else await expect(Row.load(1)).rejects.toMatchObject({ reason: 'response-depth' });
  });

  test('of a web page is refused, and a response in JSON is read', async () => {
    class Row extends Model.define({
      fields: { id: 'int' },
      proxy: server.proxy('/rows', xml({ list: 'rows', record: 'row' })),
    }) {}
    server.reply({ text: '<html><body>Sign in</body></html>' }, { status: 429, json: { message: 'slow down' } });
    await expect(Row.load(1)).rejects.toMatchObject({ message: expect.stringContaining('with HTML instead of XML') });
    await expect(Row.load(1)).rejects.toMatchObject({ problem: { detail: 'slow down' } });
  });

  test.each<[string, unknown, string, Partial<XmlOptions>?]>([
    ['texts', { a: '<&>"\'\r\n\t]]>' }, "<row><a>&lt;&amp;&gt;&quot;'&#13;\n\t]]&gt;</a></row>"],
    [
      'numbers',
      { a: 5, b: 0.5, c: 10n },
      '<row><a type="integer">5</a><b type="float">0.5</b><c type="integer">10</c></row>',
    ],
    ['null and what JSON has as null', { a: null, b: Number.NaN }, '<row><a nil="true"/><b nil="true"/></row>'],
    ['dates', { a: new Date(0) }, '<row><a>1970-01-01T00:00:00.000Z</a></row>'],
    ['no undefined', { a: undefined, b: '' }, '<row><b type="string"></b></row>'],
    [
      'lists',
      { statuses: ['x'], children: [1] },
      '<row><statuses type="array"><status>x</status></statuses><children type="array"><item type="integer">1</item></children></row>',
    ],
    ['repeated elements', { tag: ['a', null] }, '<row><tag>a</tag><tag nil="true"/></row>', { lists: 'repeated' }],
    ['attributes beside a text', { a: { '#text': '5', unit: 'x"\n' } }, '<row><a unit="x&quot;&#10;">5</a></row>'],
    ['no types', { a: 5, b: null, c: [], d: '' }, '<row><a>5</a><b/><c></c><d></d></row>', { types: false }],
    ['dashes', { created_at: '1', _id: '2' }, '<row><created-at>1</created-at><_id>2</_id></row>', { dashes: true }],
  ])('is written with %s', (_, row, expected, options) => {
    expect(write(row, options)).toBe(expected);
  });

  test.each<[unknown, string]>([
    [{ 'a b': 1 }, "'a b' cannot be the name of an element"],
    [{ '1st': 1 }, "'1st' cannot be the name of an element"],
    [{ '': 1 }, "'' cannot be the name of an element"],
    [{ 'a><b': 1 }, "'a><b' cannot be the name of an element"],
    [{ a: 'x\u0001' }, 'a text holds the character U+0001'],
    [{ a: '\uD800' }, 'a text holds the character U+D800'],
    [{ a: new Map() }, "'a' is a Map"],
  ])('cannot be written of %j', (row, message) => {
    expect(() => write(row)).toThrow(message);
  });

  test('cannot be written of what contains itself, or of no object', () => {
    const row: { self?: unknown } = {};
    row.self = row;
    expect(() => write(row)).toThrow('nested deeper than 1000 levels');
    expect(() => codec.write('text')).toThrow('it is the string text, and not an object');
  });

  test('has the element of a record around a body that has no root of its own', () => {
    expect(codec.write({ reason: 'late' })).toBe(`${PROLOG}\n<row><reason>late</reason></row>`);
    expect(codec.write({ note: { text: 'x' } })).toBe(`${PROLOG}\n<note><text>x</text></note>`);
    expect(codec.write([{ id: 1 }])).toBe(`${PROLOG}\n<rows type="array"><row><id type="integer">1</id></row></rows>`);
  });
});

test.each([
  [{ list: 'rows' }, '`xml.record` must be a text that is not empty'],
  [{ list: 'rows', record: 'row', dashed: true }, "'dashed'"],
  [{ list: 'rows', record: 'row', lists: 'flat' }, 'xml.lists'],
])('xml() refuses %j', (options, message) => {
  expect(() => xml(options as never)).toThrow(message);
});

test('the options of xml() can be followed by others', () => {
  const config: RestProxyConfig = { url: '/users', ...xml({ list: 'a.b', record: 'row' }), format: 'rss' };
  expect(config.reader).toEqual({ rootProperty: "['a.b']", record: { single: 'row' } });
});
