import path from 'node:path';
import {
  bigint,
  decimal,
  email,
  exclusion,
  format,
  inclusion,
  length,
  type MessageKey,
  Model,
  presence,
  range,
  url,
  type Validator,
} from 'repose';
import { formatMessage, messages } from 'repose/messages';
import { OutboxError } from 'repose/outbox';
import { build } from 'repose/testing';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { userMessages } from '../../src/errors/user-message.js';
import { pageOf } from '../helpers/error-page.js';

/** The texts for developers. Sentences for users are tested in `user-message.test.ts`. */
const texts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(messages).filter(([key]) => !Object.hasOwn(userMessages, key)),
);
const isKey = (key: string) => Object.hasOwn(texts, key);
const placeholdersOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** Placeholders that every error of an operation can fill. */
const CONTEXT = ['action', 'method', 'url', 'status'];
/** Placeholders that a function fills beside the `params` that it is given. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  recordError: ['model', 'id'],
  fail: ['row', 'offset'],
  unsentError: ['why'],
};
/** Files that compute the key of a text; `findings` are tested below by their messages. */
const COMPUTED = [
  'errors/data-error.ts',
  'errors/request-errors.ts',
  'model/field-definition.ts',
  'form/field-input.ts',
];

/** A place in the sources that uses the text of a key, and the placeholders that it fills. */
interface Use {
  readonly place: string;
  readonly key: string;
  /** Undefined if they cannot be read from the source. */
  readonly given: readonly string[] | undefined;
}

/** Every use of a text in the sources, and the places whose key is unknown. */
function usesInSources(): { uses: Use[]; unclear: string[] } {
  const root = path.resolve(import.meta.dirname, '../../src');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const uses: Use[] = [];
  const unclear: string[] = [];

  const literalsOf = (type: ts.Type): string[] | undefined => {
    const all = type.isUnion() ? type.types : [type];
    return all.every((each) => each.isStringLiteral()) ? all.map((each) => each.value) : undefined;
  };
  const isText = (type: ts.Type): boolean =>
    type.isUnion() ? type.types.every(isText) : (type.flags & ts.TypeFlags.StringLike) !== 0 || type.isIntersection();
  /** The members that are not optional. */
  const membersOf = (node: ts.Expression | undefined): string[] => {
    if (!node) return [];
    const type = checker.getTypeAtLocation(node);
    return checker
      .getPropertiesOfType(type)
      .filter((member) => {
        const own = checker.getTypeOfSymbolAtLocation(member, node);
        const parts = own.isUnion() ? own.types : [own];
        return !(member.flags & ts.SymbolFlags.Optional) && !parts.some(({ flags }) => flags & ts.TypeFlags.Undefined);
      })
      .map(({ name }) => name);
  };
  const isParameter = (node: ts.Expression) =>
    ts.isIdentifier(node) && checker.getSymbolAtLocation(node)?.valueDeclaration?.kind === ts.SyntaxKind.Parameter;
  /** Whether the `params` of a function are passed on, as they are or with others. */
  const passesOn = (params: ts.Expression) =>
    isParameter(params) ||
    (ts.isObjectLiteralExpression(params) &&
      params.properties.some((each) => ts.isSpreadAssignment(each) && isParameter(each.expression)));
  const note = (
    source: ts.SourceFile,
    node: ts.Node,
    keys: readonly string[],
    given: readonly string[] | undefined,
  ) => {
    const file = path.relative(root, source.fileName);
    const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    for (const key of keys) uses.push({ place, key, given });
  };

  for (const source of program.getSourceFiles()) {
    const file = path.relative(root, source.fileName);
    if (file.startsWith('..')) continue;
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit);
      if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
        const parameters = checker.getResolvedSignature(node)?.parameters.map(({ name }) => name) ?? [];
        const name = ['reason', 'key', 'code'].find((each) => parameters.includes(each)) ?? '';
        const callee = node.expression.getText(source);
        const key = node.arguments?.[parameters.indexOf(name)];
        // Others have a `reason` as well: signals, and the `reject` of promises.
        if (!key || !isText(checker.getTypeAtLocation(key)) || (name === 'key' && callee !== 'formatMessage')) return;
        const params = node.arguments?.[parameters.indexOf('params')];
        // Keys that a function only passes on are checked at the calls of that function.
        if (isParameter(key) && (params === undefined || passesOn(params))) return;
        const keys = literalsOf(checker.getTypeAtLocation(key));
        if (!keys) {
          if (name !== 'code' && !COMPUTED.includes(file))
            unclear.push(`${file}: ${node.getText(source).slice(0, 80)}`);
          return;
        }
        const isIssue = callee === 'formatMessage' || file === 'model/validators.ts';
        const given = [...membersOf(params), ...(ADDED[callee] ?? []), ...(isIssue ? [] : CONTEXT)];
        // A function without `params` fills its text itself.
        const isFilled = parameters.includes('params') && file !== 'model/validators.ts';
        note(source, node, name === 'code' ? keys.filter(isKey) : keys, isFilled ? given : undefined);
      }
      // Texts that are filled in later: findings of fields, and the options of errors.
      if (ts.isPropertyAssignment(node) && /^(code|reason)$/.test(node.name.getText(source))) {
        const keys = literalsOf(checker.getTypeAtLocation(node.initializer)) ?? [];
        const member = (name: string) => node.parent.properties.find((each) => each.name?.getText(source) === name);
        const params = member('params');
        const given = params && ts.isPropertyAssignment(params) ? membersOf(params.initializer) : [];
        const options = node.name.getText(source) === 'reason' ? [...CONTEXT, 'why'] : [];
        if (!member('message')) note(source, node, keys.filter(isKey), [...given, ...options]);
      }
    };
    visit(source);
  }
  return { uses, unclear };
}

const { uses, unclear } = usesInSources();

describe('the texts and the sources', () => {
  test('the compiler knows the possible keys at each use of a text', () => {
    expect(unclear).toEqual([]);
    expect(uses.length).toBeGreaterThan(150);
  });

  test('each key that the sources use has a text', () => {
    expect(uses.filter(({ key }) => !isKey(key))).toEqual([]);
  });

  test('each text is used in the sources', () => {
    const used = new Set(uses.map(({ key }) => key));
    const ofTypes = Object.keys(texts).filter((key) => key.startsWith('type-'));
    const computed = ['network', 'network-unconfirmed', ...ofTypes];
    expect(Object.keys(texts).filter((key) => !used.has(key) && !computed.includes(key))).toEqual([]);
  });

  test('each {placeholder} of a text is filled at every use of the text', () => {
    const open = uses.flatMap(({ place, key, given }) =>
      placeholdersOf(texts[key] ?? '')
        .filter((name) => given && !given.includes(name))
        .map((name) => `${place}: '${key}' has no ${name}`),
    );
    expect(open).toEqual([]);
  });
});

describe('texts of issues', () => {
  const validators: readonly (readonly [validator: Validator, value: unknown])[] = [
    [presence(), ''],
    [length({ min: 2, max: 3 }), 'a'],
    [length({ min: 2 }), 'a'],
    [length({ max: 1 }), 'ab'],
    [range({ min: 1, max: 2 }), 0],
    [range({ min: 1 }), 0],
    [range({ max: 1 }), 2],
    [format(/^\d$/), 'a'],
    [email(), 'a'],
    [url(), 'a'],
    [inclusion(['a', 'b']), 'c'],
    [exclusion(['a', 'b']), 'a'],
  ];

  test.each(validators)('validator %# fills its text', (validator, value) => {
    const finding = validator(value, {});
    expect(finding && formatMessage(finding.code, finding.params)).toMatch(/^(is|must|has) [^{}]+$/);
  });

  test.each([
    ...(['string', 'int', 'number', 'boolean', 'date', 'dateonly'] as const).map((type) => [type, { type }] as const),
    ['decimal', decimal()] as const,
    ['bigint', bigint()] as const,
  ])('the issue of a value that is not of type %s names the expected type', (type, a) => {
    class Sample extends Model.define({ fields: { id: 'int', a } }) {}
    const [issue] = Sample.fromRow({ id: 1, a: {} }).$.validate();
    expect(issue).toMatchObject({ code: 'type', params: { type }, message: messages[`type-${type}`] });
  });

  test('the issue of a type that the application registered has the general text', () => {
    class Sample extends Model.define({
      fields: { id: 'int', a: { type: 'auto', validators: [() => ({ code: 'type', params: { type: 'colour' } })] } },
    }) {}
    expect(new Sample({ a: 1 }).$.validate()[0]?.message).toBe("must be of the type 'colour'");
  });
});

describe('texts of other entries', () => {
  test('come with the errors of an outbox, and can be replaced', () => {
    expect(new OutboxError('outbox-closed').message).toBe(messages['outbox-closed']);
    const own = { 'outbox-closed': 'Geschlossen' };
    expect(new OutboxError('outbox-closed', {}, { messages: own }).message).toBe('Geschlossen');
    expect(new OutboxError('outbox-closed').inWords(own).message).toBe('Geschlossen');
  });

  test('come with the mistakes of test tools', () => {
    expect(() => build(class {} as never)).toThrow(formatMessage('build-model', { what: 'a class' }).split(', not')[0]);
  });

  test('are part of the exported table and of `formatMessage`', () => {
    expect(formatMessage('outbox-state')).toBe(messages['outbox-state']);
    expect(formatMessage('test-fault', { what: "'x'", known: 'y' })).toBe(
      `There is no fault 'x'; known: y${pageOf('test-fault')}`,
    );
    expect(formatMessage('test-fault', {}, { 'test-fault': 'other' })).toBe('other');
  });

  test('are used by these entries only', () => {
    const foreign = uses.filter(
      ({ key, place }) => /^(outbox|test|build)-/.test(key) && !/^(outbox|testing)\//.test(place),
    );
    expect(foreign).toEqual([]);
  });
});

describe('remedies', () => {
  /** A text with a remedy holds an instruction, or says what the value must be. */
  const REMEDY =
    /\b(?:must|needs?|known|did you mean)\b|\{(?:hint|remedy)\}|(?:^|[:.;,(`] ?|\band |\bor |\bthen |\bmembers \()\b(?:add|answer|ask|await|build|call|change|check|close|confirm|correct|decide|declare|filter|free|give|import|leave|let|load|look|make|open|pass|read|register|remove|rename|return|save|send|serve|set|sign|try|use|wait|write|its log tells)\b/i;
  /** Texts without a remedy, with the reason. */
  const WITHOUT: Readonly<Partial<Record<MessageKey, string>>> = {
    abort: 'the caller wanted it',
    validation: 'the issues that it lists say what is expected',
    'http-validation': 'the issues that it lists say what is expected',
    'no-reason': 'a part of other texts',
    required: 'an issue: the field is named before it',
    format: 'an issue: only the application knows what the format means',
    'outbox-offline': 'the outbox sends it by itself',
    'outbox-elsewhere': 'the page that sends it was told',
    'outbox-order': 'the outbox sends it by itself',
    'outbox-interrupted': 'the outbox sends it by itself',
    'outbox-truncated': 'nothing needs to be done, as it says',
    sync: 'each error that it stands for has its own',
  };

  test.each(Object.entries(texts))('%s says what to do: %s', (key, text) => {
    expect(REMEDY.test(text)).toBe(WITHOUT[key as MessageKey] === undefined);
  });

  test('each text without a remedy is listed with the reason', () => {
    expect(Object.keys(WITHOUT).filter((key) => !Object.hasOwn(texts, key))).toEqual([]);
  });
});
