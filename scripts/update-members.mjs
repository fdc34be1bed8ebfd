// Makes docs/reference/members/*.md of the TSDoc of classes, functions and what they return: scripts/update-reference.mjs writes them.
import ts from 'typescript';
import { cell, declarationIn, descriptionOf, plain, sourceOf, tagsOf } from './tsdoc.mjs';

/** The pages: a title, the hand-written page of the area, and names of the source by their files. */
const PAGES = {
  stores: {
    title: 'Members of stores',
    area: ['Stores', '../stores.md'],
    names: {
      'src/store/store.ts': ['Store'],
      'src/store/record-view.ts': ['RecordView'],
      'src/store/store-config.ts': ['StoreEvents', 'ViewEvents', 'StoreChange'],
      'src/store/status-feed.ts': ['StoreStatus'],
      'src/store/snapshot.ts': ['ListSnapshot'],
      'src/util/value-source.ts': ['Source'],
      'src/store/query.ts': ['Query', 'QueryConfig'],
      'src/store/query-from-json.ts': ['queryFromJSON'],
      'src/store/where.ts': ['where', 'FieldWhere', 'TextWhere', 'ListWhere', 'and', 'or', 'not'],
      'src/operation/query-parts.ts': ['operatorOf'],
      'src/store/view.ts': ['viewOf', 'View'],
      'src/store/record-window.ts': ['windowOf', 'RecordWindow'],
      'src/store/window-config.ts': ['WindowEvents', 'WindowSnapshot'],
      'src/store/all-pages.ts': ['pagesOf'],
      'src/store/next-page.ts': ['nextPage', 'previousPage'],
      'src/store/selection.ts': ['selectionOf', 'Selection'],
      'src/store/receive.ts': ['receive', 'refreshStale'],
      'src/store/keep-fresh.ts': ['keepFresh'],
      'src/store/list-of.ts': ['listOf'],
      'src/store/difference.ts': ['differenceOf', 'ListDifference'],
    },
  },
  sessions: {
    title: 'Members of sessions',
    area: ['Many writes', '../sync.md'],
    names: {
      'src/sync/sync.ts': ['sync'],
      'src/store/sync-rollback.ts': ['rollback'],
      'src/sync/session.ts': ['Session'],
      'src/sync/session-feed.ts': ['SessionStatus'],
      'src/sync/fork.ts': ['fork', 'Fork'],
      'src/sync/session-changes.ts': ['changesOf', 'SessionChange'],
      'src/sync/apply-changes.ts': ['applyChanges'],
      'src/children/children.ts': ['childrenOf', 'through'],
      'src/children/save-graph.ts': ['saveGraph'],
      'src/children/store-of.ts': ['storeOf'],
      'src/history/history-of.ts': ['historyOf'],
      'src/history/session-history.ts': ['SessionHistory', 'HistoryState', 'HistoryStep'],
    },
  },
  models: {
    title: 'Members of models',
    area: ['Models and fields', '../models.md'],
    names: {
      'src/model/model.ts': ['Model'],
      'src/model/declarations.ts': ['decimal', 'bigint', 'embed', 'reference', 'action', 'fieldType'],
      'src/model/field.ts': ['FieldTypes', 'json'],
      'src/model/date-format.ts': ['dateFormat'],
      'src/model/composite-field.ts': ['compositeId'],
      'src/model/identifier.ts': ['uuid', 'IdentifierOptions'],
      'src/model/field-info.ts': ['fieldsOf', 'FieldInfo'],
      'src/model/validators.ts': [
        'Validator',
        'presence',
        'length',
        'range',
        'format',
        'email',
        'url',
        'inclusion',
        'exclusion',
      ],
      'src/util/long-number.ts': ['LongNumber'],
    },
  },
  records: {
    title: 'Members of records',
    area: ['Records', '../records.md'],
    names: {
      'src/model/model.ts': ['Model'],
      'src/model/infer.ts': ['Typed', 'RecordState'],
      'src/model/record-sources.ts': ['FieldSnapshot', 'RecordSnapshot'],
      'src/model/copy-of.ts': ['copyOf'],
      'src/model/decide.ts': ['decide'],
      'src/form/record-form.ts': ['RecordForm', 'FormSnapshot', 'FormFieldSnapshot'],
      'src/form/local-date-time.ts': ['localDateTime'],
      'src/errors/conflict-error.ts': ['ConflictError'],
      'src/errors/data-error.ts': ['DataError'],
      'src/errors/validation-error.ts': ['Issue'],
      'src/errors/is-data-error.ts': ['isDataError'],
      'src/errors/problem-family.ts': ['problemFamily'],
      'src/errors/particular-families.ts': ['readAnyProblem'],
    },
  },
  operations: {
    title: 'Members of operations',
    area: ['Records', '../records.md'],
    names: {
      'src/operation/operation.ts': ['Operation', 'StreamProgress'],
      'src/operation/batch.ts': ['Batch', 'Outcome'],
      'src/operation/result-set.ts': ['ResultSet', 'NextPage', 'BulkEntry'],
      'src/operation/proxy-request.ts': ['ProxyRequest'],
      'src/http/http-response.ts': ['HttpResponse'],
    },
  },
  proxies: {
    title: 'Members of proxies',
    area: ['Addresses', '../../guide/addressing.md'],
    names: {
      'src/proxy/data-proxy.ts': ['DataProxy'],
      'src/proxy/ajax-proxy.ts': ['AjaxProxy'],
      'src/proxy/rest-proxy.ts': ['RestProxy'],
      'src/proxy/proxy-config.ts': ['Addresses'],
      'src/proxy/memory-proxy.ts': ['MemoryProxy'],
      'src/reader/json-reader.ts': ['JsonReader'],
      'src/writer/json-writer.ts': ['JsonWriter'],
      'src/proxy/explain.ts': ['explain', 'printExplanation', 'Explanation', 'TracePart'],
      'src/proxy/total-counts.ts': ['rowCount'],
    },
  },
  extensions: {
    title: 'Members of extensions',
    area: ['Extensions', '../extensions.md'],
    names: {
      'src/extension/extension.ts': ['Extension'],
      'src/extension/write-hook.ts': ['Write', 'Change'],
      'src/extension/hooks.ts': ['off'],
      'src/extension/layers.ts': ['LAYERS'],
      'src/extension/row-notes.ts': ['noteOf', 'setNote', 'isAsReceived'],
      'src/model/record.ts': ['slotOf', 'setSlot'],
      'src/operation/operation-record.ts': ['rowOf'],
      'src/extensions/safe-writes.ts': ['safeWrites'],
      'src/extensions/etags.ts': ['etags'],
      'src/extensions/conflicts/conflicts.ts': ['conflicts'],
      'src/extensions/confirm.ts': ['confirm'],
      'src/extensions/retry.ts': ['retry'],
      'src/extensions/idempotency.ts': ['idempotency'],
      'src/extensions/auth.ts': ['auth'],
      'src/extensions/rate-limit.ts': ['rateLimit'],
      'src/extensions/form-bodies.ts': ['formBodies'],
      'src/extensions/streaming.ts': ['streaming'],
      'src/extensions/telemetry.ts': ['telemetry'],
    },
  },
  outbox: {
    title: 'Members of the outbox',
    area: ['Outbox', '../outbox.md'],
    names: {
      'src/outbox/outbox-class.ts': ['Outbox'],
      'src/outbox/outbox-config.ts': ['OutboxEvents', 'FailedWrite', 'DiscardedWrite'],
      'src/outbox/outbox-entry.ts': ['OutboxEntry'],
      'src/outbox/outbox-status.ts': ['OutboxStatus'],
      'src/outbox/storage/indexed-db-storage.ts': ['indexedDbStorage'],
      'src/outbox/storage/file-storage.ts': ['fileStorage'],
      'src/outbox/storage/memory-storage.ts': ['memoryStorage'],
    },
  },
};

/** The options that are members as well: a member without a description of its own has that of the option. */
const OPTIONS_OF = {
  Operation: ['src/operation/operation.ts', 'OperationConfig'],
  Query: ['src/store/query.ts', 'QueryConfig'],
  DataProxy: ['src/proxy/data-proxy.ts', 'DataProxyConfig'],
};

/** The class of models and records: the members of the class are on the page of models, those of each record on that of records. */
const SPLIT = 'Model';

/** The pages by their paths in the project. Throws if a public member has no description. */
export function memberPages() {
  return Object.fromEntries(
    Object.entries(PAGES).map(
      ([
        name,
        {
          title,
          area: [area, to],
          names,
        },
      ]) => {
        const parts = Object.entries(names).flatMap(([file, wanted]) => wanted.map((each) => partOf(file, each, name)));
        const intro = `Every public member, from the comments in the source, which editors also show: \`node scripts/update-reference.mjs\` writes this page. [${area}](${to}) tells how they work together, and [Options](../options.md) has what each call takes.`;
        return [`docs/reference/members/${name}.md`, `${[`# ${title}`, intro, ...parts.flat()].join('\n\n')}\n`];
      },
    ),
  );
}

/** The names that have a part on a page. */
export function listedNames() {
  return new Set(Object.values(PAGES).flatMap(({ names }) => Object.values(names).flat()));
}

/** A class, interface, function or constant with its members. */
function partOf(file, name, page) {
  const found = sourceOf(file).statements.filter((each) => namesOf(each).includes(name));
  const declared = found.find((each) => ts.isClassDeclaration(each)) ?? found[0];
  if (!declared) throw new Error(`${file} declares no ${name}`);
  if (ts.isClassDeclaration(declared)) return classPart(declared, page);
  if (ts.isInterfaceDeclaration(declared)) return [...opening(declared, name), ...memberParts(declared.members)];
  const described = found.filter((each) => descriptionOf(each));
  return ts.isFunctionDeclaration(declared)
    ? [`## ${name}`, ...described.flatMap((each) => [signature(callOf(each)), ...texts(each)])]
    : opening(declared, name);
}

function namesOf(statement) {
  const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  return declared.map((each) => each.name?.text);
}

function classPart(declared, page) {
  const { name, members, heritageClauses = [] } = declared;
  const isStatic = (member) => hasModifier(member, ts.SyntaxKind.StaticKeyword);
  const shown =
    name.text !== SPLIT
      ? members
      : members.filter((member) => (page === 'models' ? isStatic(member) : !isStatic(member)));
  const bases = heritageClauses
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .map(({ types: [base] }) => base.expression.getText())
    .filter((base) => listedNames().has(base) && base !== name.text)
    .map((base) => `It has the members of \`${base}\` as well.`);
  const options = shown.some(isOption) ? ['Each of its [options](../options.md) is a member of the same name.'] : [];
  return [...opening(declared, name.text), ...bases, ...options, ...memberParts(shown, isStatic)];
}

const opening = (declared, name) => [`## ${name}`, ...texts(declared)];

/** Values as one table, then calls with a heading each. */
function memberParts(members, isStatic = () => false) {
  const owner = members[0]?.parent.name.text;
  const named = members.filter((member) => isShown(member));
  for (const member of named) {
    const isDescribed = named.some((each) => nameOf(each) === nameOf(member) && describe(each));
    if (!isDescribed) throw new Error(`${owner}.${nameOf(member)} has no description`);
  }
  const shownName = (member) => `${isStatic(member) ? `${owner}.` : ''}${nameOf(member)}`;
  const rows = named
    .filter((member) => !isCall(member) && !ts.isSetAccessor(member))
    .map((member) => `| \`${shownName(member)}\` | ${typeOf(member)} | ${meaningOf(member)} |`);
  const calls = named.filter((member) => isCall(member) && descriptionOf(member));
  const parts = [...new Set(calls.map(shownName))].flatMap((name) => {
    const overloads = calls.filter((member) => shownName(member) === name);
    return [`### ${name}()`, ...overloads.flatMap((each) => [signature(callOf(each)), ...texts(each)])];
  });
  return rows.length > 0 ? [['| Member | Type | Meaning |', '|---|---|---|', ...rows].join('\n'), ...parts] : parts;
}

const isCall = (member) =>
  ts.isMethodDeclaration(member) || ts.isMethodSignature(member) || functionOf(member) !== undefined;

/** The function that a bound call holds: `readonly set = (path, value) => { … }`. */
function functionOf(member) {
  return ts.isPropertyDeclaration(member) && member.initializer && ts.isArrowFunction(member.initializer)
    ? member.initializer
    : undefined;
}

/** The description of a member, or of the option that it is. */
function describe(member) {
  const own = descriptionOf(member);
  const [file, options] = OPTIONS_OF[member.parent.name.text] ?? [];
  if (own || !file) return own;
  const option = declarationIn(file, options, ts.isInterfaceDeclaration).members.find(
    (each) => nameOf(each) === nameOf(member),
  );
  return option ? descriptionOf(option) : '';
}

/** Whether a member only declares the type of an option, which the page of options describes. */
function isOption(member) {
  return hasModifier(member, ts.SyntaxKind.DeclareKeyword) && !isHidden(member) && !descriptionOf(member);
}

/** A public member that the class or interface declares itself, for applications. */
function isShown(member) {
  if (!member.name || ts.isComputedPropertyName(member.name) || ts.isPrivateIdentifier(member.name)) return false;
  if (isHidden(member) || isOption(member)) return false;
  // A call or value of a base class is described there.
  const isDerived = member.parent.heritageClauses !== undefined && (isCall(member) || isOverride(member));
  return describe(member) !== '' || !isDerived;
}

const isHidden = (member) =>
  [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword].some((kind) => hasModifier(member, kind));

const isOverride = (member) => hasModifier(member, ts.SyntaxKind.OverrideKeyword);

function hasModifier(member, kind) {
  return (ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : []).some((each) => each.kind === kind);
}

const nameOf = (member) => member.name.getText().replaceAll("'", '');
const inOneLine = (text) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1');

/** A call without its body, modifiers and comments. */
function callOf(node) {
  const bound = functionOf(node);
  const source = node.getSourceFile().text;
  const text = bound
    ? node.name.getText() + source.slice(bound.getStart(), bound.equalsGreaterThanToken.getStart())
    : source.slice(node.name.getStart(), node.body ? node.body.getStart() : node.getEnd());
  return inOneLine(text.replace(/^\s*\/\/.*$/gm, ''))
    .replaceAll(': | ', ': ')
    .replace(/<\s+(?=const )/g, '<')
    .replaceAll(', >', '>')
    .replace(/;?\s*$/, '');
}

const signature = (text) => ['```typescript', text, '```'].join('\n');

function typeOf(member) {
  const type = member.type?.getText() ?? '';
  return type ? `\`${cell(inOneLine(type))}\`` : '';
}

/** The paragraphs of a description, its default, and its examples. */
function texts(node) {
  const defaults = tagsOf(node, 'default').map((text) => `Default: ${plain(text)}.`);
  // The language has its long name here: blocks of `ts` are programs, and tests compile the examples where they are written.
  const examples = tagsOf(node, 'example').map((text) => text.trim().replace(/^```ts\n/, '```typescript\n'));
  return [...descriptionOf(node).split('\n\n').filter(Boolean), ...defaults, ...examples];
}

/** A description and its default as a cell. */
function meaningOf(member) {
  const defaults = tagsOf(member, 'default').map((text) => `Default: ${plain(text)}.`);
  return cell([describe(member).replaceAll('\n\n', ' '), ...defaults].join(' '));
}
