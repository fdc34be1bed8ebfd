import { checkGiven, checkOptions } from '../dev/checks.js';
import { type Data, isObject, parsePath, readPath } from '../util/data-path.js';
import { checkPath } from './mistakes.js';
import { object, type Rules, text } from './option-rules.js';
import { collectIssues, createProblem, membersOf, type ProblemReader, pick, USUAL_NAMES } from './problem.js';

/** Options of {@link problemFamily}: where the error bodies of a server hold what. */
export interface ProblemFamilyConfig {
  /**
   * Path of the problems with single fields: a map from field to texts, a list of objects that name their field, or a list of texts; each
   * may be nested. A body that holds no object or list there is left to the next reader.
   */
  issues: string;
  /** Values that a body of this family has, by their paths: `{ resourceType: 'OperationOutcome' }`. @default {} (none) */
  when?: Readonly<Record<string, unknown>>;
  /** Member of an issue that names its field; several are separated by blanks, the likeliest first. @default the usual names, such as `field`, `path`, `property` and `pointer` */
  field?: string;
  /** Member of an issue that holds its text. @default the usual names, such as `message`, `detail` and `description` */
  text?: string;
  /** Member of an issue that holds the rule that was broken. @default `code`, `keyword` or `rule` */
  code?: string;
  /** Path of the server's own sentence about the whole. @default `detail`, `message` or `description`, beside the issues or at the top */
  message?: string;
}

const RULES: Rules<ProblemFamilyConfig> = {
  issues: text,
  when: object,
  field: text,
  text,
  code: text,
  message: text,
};

/**
 * Makes a reader of error bodies for `reader: { problem }`, for servers whose form is not known yet. Paths of issues such as
 * `details[2].qty` and `details.2.qty` are split, and the server's names become those of the fields. Throws `DefinitionError` for wrong
 * options.
 *
 * `issues` leads to a map from field to texts, a list of objects that name their field, or a list of texts. A function `(body, status) =>
 * problem` reads anything else, and returns undefined to leave a body to the next reader: those of dialects, then those of the model. A
 * reader takes a list of both.
 *
 * @example
 * ```ts
 * // { "fault": { "text": "Not saved", "marks": [{ "cell": "title", "note": "is too short" }] } }
 * const problem = problemFamily({ issues: 'fault.marks', field: 'cell', text: 'note', message: 'fault.text' });
 * class ApiModel extends Model.with({ proxy: { reader: { problem } } }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function problemFamily(config: ProblemFamilyConfig): ProblemReader {
  checkOptions('problemFamily', config, RULES);
  const { issues: place, when = {}, message } = config;
  checkGiven('`problemFamily.issues`', place, text);
  for (const [option, given] of Object.entries({ issues: place, message }))
    if (given !== undefined) checkPath(given, `problemFamily.${option}`);
  const path = parsePath(place);
  const conditions = Object.entries(when).map(([at, value]) => [parsePath(at), value] as const);
  const names = { ...USUAL_NAMES };
  for (const name of ['field', 'text', 'code'] as const) names[name] = config[name] ?? names[name];
  return (body, status) => {
    const held = readPath(body, path);
    if (!isObject(held) || !conditions.every(([at, value]) => readPath(body, at) === value)) return undefined;
    const top = body as Data;
    const beside = readPath(body, path.slice(0, -1));
    const own = { ...top, ...membersOf(beside) };
    const said = message === undefined ? undefined : readPath(body, parsePath(message));
    const detail = typeof said === 'string' ? said : pick(own, 'detail message description');
    return createProblem(status, collectIssues(held, false, names), own, pick(own, 'title'), detail);
  };
}
