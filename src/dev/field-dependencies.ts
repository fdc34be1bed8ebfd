import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { hintOf } from './checks.js';

interface DependingField {
  readonly name: string;
  readonly config: {
    readonly depends?: readonly string[];
    readonly convert?: (...given: never) => unknown;
    readonly calculate?: (...given: never) => unknown;
  };
}

/**
 * Checks which fields the fields of a model are made from. Throws `DefinitionError` for wrong names, for fields that depend on each other in a
 * circle, and for a `convert` that reads a record without saying which of its fields.
 */
export function checkDependencies(fields: readonly DependingField[], idNames: readonly string[], model: string): void {
  const named = new Map<string, readonly string[]>();
  for (const { name, config } of fields) {
    const { convert, calculate, depends } = config;
    const refuse = (why: string): never => {
      throw new DefinitionError('field-depends', { field: name, model, why });
    };
    if (depends === undefined) {
      if (convert && convert.length > 1) refuse('is missing, though its `convert` takes a record');
      continue;
    }
    const isList = Array.isArray(depends) && depends.every((each) => typeof each === 'string');
    if (!isList) refuse(`is no list of names: ${describe(depends)}`);
    if (!convert && !calculate) refuse('has no effect without a function');
    if (idNames.includes(name)) refuse('is refused, because an id cannot follow other fields');
    const known = fields.map((field) => field.name);
    const unknown = depends.find((each) => !known.includes(each));
    if (unknown !== undefined)
      refuse(`names '${unknown}', which is not a field${hintOf(unknown, known, 'its fields')}`);
    named.set(name, depends);
  }
  for (const name of named.keys()) {
    const circle = circleFrom(name, named);
    if (circle)
      throw new DefinitionError('field-depends', {
        field: name,
        model,
        why: `goes in a circle (${circle.join(' → ')})`,
      });
  }
}

/** The names on a way from a field back to itself; undefined if there is none. */
function circleFrom(start: string, named: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  const follow = (name: string, way: readonly string[]): readonly string[] | undefined => {
    for (const next of named.get(name) ?? []) {
      if (next === start) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const circle = follow(next, [...way, next]);
      if (circle) return circle;
    }
    return undefined;
  };
  return follow(start, [start]);
}
