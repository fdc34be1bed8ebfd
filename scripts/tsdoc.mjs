// Reading of TSDoc that the scripts share which make pages of the reference.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export const root = path.resolve(import.meta.dirname, '..');

/** The syntax of a file of the project. */
export function sourceOf(file) {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.ES2022, true);
}

/** The declaration of that kind and name; throws if the file has none. */
export function declarationIn(file, name, isKind) {
  const found = sourceOf(file).statements.find((each) => isKind(each) && each.name.text === name);
  if (!found) throw new Error(`${file} declares no ${name}`);
  return found;
}

/** The description of a declaration, without line breaks inside paragraphs; '' without one. */
export function descriptionOf(node) {
  const [doc] = node.jsDoc?.slice(-1) ?? [];
  return plain(ts.getTextOfJSDocComment(doc?.comment) ?? '');
}

/** The texts of a tag, such as `default`. */
export function tagsOf(node, tag) {
  return ts
    .getJSDocTags(node)
    .filter((each) => each.tagName.text === tag)
    .map((each) => ts.getTextOfJSDocComment(each.comment) ?? '');
}

/** A comment without line breaks inside paragraphs, links and numbers of rules. */
export function plain(text) {
  return text
    .replace(/\{@link ([\w.]+)\}/g, '`$1`')
    .replace(/ \((?:§[\d.]+(?: rule \d+)?|H\d+)(?:(?:, | and )(?:§[\d.]+(?: rule \d+)?|H\d+))*\)/g, '')
    .replace(/([^\n])\n(?!\n)/g, '$1 ')
    .trim();
}

/** A text as a cell of a table. */
export function cell(text) {
  return text.replaceAll('|', '\\|');
}
