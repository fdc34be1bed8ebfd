// Makes docs/errors.md of the classes of errors, their TSDoc and the table of all texts: scripts/update-reference.mjs writes it.
import ts from 'typescript';
import { cell, declarationIn, descriptionOf, tagsOf } from './tsdoc.mjs';

/** The classes in the order of the page, with their files. */
const CLASSES = [
  ['src/errors/mistakes.ts', 'AddressError'],
  ['src/errors/unsupported-query-error.ts', 'UnsupportedQueryError'],
  ['src/errors/request-errors.ts', 'NetworkError'],
  ['src/errors/request-errors.ts', 'TimeoutError'],
  ['src/errors/request-errors.ts', 'AbortError'],
  ['src/errors/request-errors.ts', 'HttpError'],
  ['src/errors/request-errors.ts', 'AuthError'],
  ['src/errors/conflict-error.ts', 'ConflictError'],
  ['src/errors/validation-error.ts', 'ValidationError'],
  ['src/errors/read-error.ts', 'ReadError'],
  ['src/errors/mistakes.ts', 'DefinitionError'],
  ['src/errors/mistakes.ts', 'StateError'],
  ['src/errors/write-errors.ts', 'DependencyError'],
  ['src/errors/write-errors.ts', 'SyncError'],
  ['src/outbox/outbox-error.ts', 'OutboxError'],
  ['src/errors/write-errors.ts', 'BatchError'],
  ['src/errors/write-errors.ts', 'MergeError'],
];

const intro = `# Table of errors

[Using errors](reference/errors.md) shows how to handle them. Codes and classes are stable; the option \`messages\` of a model or proxy replaces texts. \`node scripts/update-reference.mjs\` makes this page of the source.

## Codes

The message of an error ends with the address of its page, such as \`https://repose.example/e/http-not-found\`: \`https://repose.example/e/\` and its \`reason\`. That page has its [text](#texts), with what to do. In a [production build](reference/errors.md#development-and-production-builds) the message is little more than the code and this address.`;

const texts = `## Texts

\`reason\` of an error is the key of its text, and \`params\` are the values of the names in braces. The address of the page follows each text.`;

/** The whole page. \`messages\` is the table that \`repose/messages\` exports. */
export function errorsPage(messages) {
  const classes = CLASSES.map(([file, name]) => {
    const { codes, when, retryable } = errorClass(file, name);
    const anchors = codes.map((code) => `<a id="${code}"></a>\`${code}\``).join(', ');
    return `| \`${name}\` | ${anchors} | ${cell(when)} | ${cell(retryable)} |`;
  });
  const rows = Object.entries(messages).map(([key, text]) => `| \`${key}\` | ${quoted(withoutPage(key, text))} |`);
  return `${[
    intro,
    ['| Class | Code | When | `retryable` |', '|---|---|---|---|', ...classes].join('\n'),
    texts,
    ['| Key | Text |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')}\n`;
}

/** A class of errors as its declaration describes it. */
export function errorClass(file, name) {
  const declared = declarationIn(file, name, ts.isClassDeclaration);
  const member = (wanted) => declared.members.find((each) => each.name?.getText() === wanted);
  const [when] = descriptionOf(declared).split('\n\n');
  if (!when) throw new Error(`${file}: ${name} has no description`);
  return { codes: codesOf(file, member('code')), when, retryable: retryableOf(member('retryable'), name) };
}

/** The code that a class always has, or those of the union that is the type of its \`code\`. */
function codesOf(file, { initializer, type }) {
  const [, code] = /'([\w-]+)'/.exec(initializer?.getText() ?? '') ?? [];
  if (code) return [code];
  const { type: union } = declarationIn(file, type.getText(), ts.isTypeAliasDeclaration);
  return union.types.map(({ literal }) => literal.text);
}

function retryableOf(member, name) {
  if (!member) return 'no';
  if (member.initializer) return member.initializer.getText() === 'true' ? 'yes' : 'no';
  const [when] = tagsOf(member, 'default');
  if (!when) throw new Error(`${name}.retryable has no \`@default\` that says when it is true`);
  return when;
}

/** A text without the address of its page. */
function withoutPage(key, text) {
  return text.replace(new RegExp(` \\(https?://[^ ]*/e/${key}\\)$`), '');
}

/** A text as code, which may itself hold code. */
function quoted(text) {
  return cell(text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
}
