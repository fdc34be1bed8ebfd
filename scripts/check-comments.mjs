// Finds comments that open with a word that hides their subject, such as "What" or "Of": see CONTRIBUTING.md, "Comments".
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Comments that open with one of these words name a thing without its noun: "What is sent" instead of "The request". */
const REFUSED = ['Of', 'What', 'Who', 'Whose', 'Where', 'Nor', 'That'];

const FOLDERS = ['src', 'test', 'demo', 'bench', 'scripts', 'examples', 'conformance', '.ci'];

/** Checks the comments of files, by default of the whole project. Returns a problem for each one to reword, as `file:line: text`. */
export function checkComments(
  root,
  files = [...readdirSync(root), ...FOLDERS.flatMap((each) => filesBelow(root, each))],
) {
  const sources = files.filter((file) => /\.(tsx?|mts|js|mjs|cjs)$/.test(file));
  const problems = [];
  for (const file of sources) {
    problems.push(...refusedComments(file, readFileSync(path.join(root, file), 'utf8')));
  }
  return { problems, files: sources.length };
}

function filesBelow(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [name];
    return /^(node_modules|dist|coverage)$/.test(entry.name) ? [] : filesBelow(root, name);
  });
}

/** The comments of one file that open with a refused word, as `file:line: text`. */
export function refusedComments(file, text) {
  return commentsIn(file, text).flatMap(({ line, text: comment }) =>
    openingsOf(comment).flatMap((opening) => {
      const word = /^\w+/.exec(opening)?.[0];
      if (!REFUSED.includes(word)) return [];
      return [`${file}:${line}: a comment opens with '${word}', name its subject: "${opening.slice(0, 60)}"`];
    }),
  );
}

/** The first words of a comment: of its paragraphs, of the items of its lists and of the texts of its tags. */
function openingsOf(comment) {
  const openings = [];
  let isCode = false;
  let isNew = true;
  for (const line of comment.split('\n').map((each) => each.trim())) {
    if (line.startsWith('```')) isCode = !isCode;
    const tag = /^@(?:param|template) \S+ (?:- )?(.*)$|^@\w+ ?(.*)$/.exec(line);
    const item = /^[-*] (.*)$/.exec(line);
    if (!isCode && line !== '') {
      if (tag) openings.push(tag[1] ?? tag[2] ?? '');
      else if (item) openings.push(item[1]);
      else if (isNew) openings.push(line);
    }
    isNew = line === '';
  }
  return openings;
}

/** The comments of a file. Line comments below each other are one comment. */
function commentsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map();
  const visit = (node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (children.length === 0) {
      const leading = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
      const trailing = ts.getTrailingCommentRanges(text, node.end) ?? [];
      for (const range of [...leading, ...trailing]) ranges.set(range.pos, range);
    }
    for (const child of children) visit(child);
  };
  visit(source);
  const comments = [];
  for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const { line, character } = source.getLineAndCharacterOfPosition(pos);
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const raw = text.slice(pos, end);
    const content = isLine ? raw.slice(2).trim() : raw.replace(/^\/\*+|\*+\/$/g, '').replace(/^\s*\* ?/gm, '');
    const last = comments.at(-1);
    if (isLine && last?.isLine && last.end === line - 1 && last.character === character) {
      last.text += `\n${content}`;
      last.end = line;
    } else comments.push({ line: line + 1, end: line, character, isLine, text: content.trim() });
  }
  return comments;
}
