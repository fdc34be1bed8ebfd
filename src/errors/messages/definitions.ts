/** Texts about models, fields, options, extensions and parts. */
export const definitionMessages = {
  'field-reserved': "'{field}' is a member of every record: give the field another name and set its mapping",
  'field-hidden':
    "The class fields '{fields}' of {Class} hide fields of the model '{model}', whose values would never be read. The types come from `define`: remove these lines, or write `declare {field}: …`; a default value goes into `defaultValue`",
  'field-type': "'{field}' has no type '{type}'",
  'field-mapping': "'{mapping}' is no mapping for '{field}'",
  'field-default': "New records would share the default of '{field}': give a function",
  'path-malformed':
    "'{path}' is no path ({option}): close each quoted name, and put a dot or a bracket behind it, as in links['self.href'].id",
  validator: "A validator of '{field}' returns undefined or { code, message }, not {value}",
  'proxy-type': "No proxy type '{type}'; known: {known}",
  'proxy-missing': '{model} has no proxy',
  'constructor-arguments': 'The constructor of {model} must pass on all of its arguments',
  hook: 'A function of the application failed: {why}',
  'singleton-outbox':
    "An outbox tells records apart by their ids, which a `singleton` has not: add `off('outbox')` to `use` of that proxy",
  'extension-list': '`use` must be a list of extensions, such as `use: [retry()]`, not {value}',
  extension:
    '`use` holds {value}, which is no extension: an extension is an object with a `name` and a `layer`, such as `retry()` returns',
  'extension-hook': "The hook `{hook}` of the extension '{name}' must be a function, not {value}",
  'extension-missing':
    "{what} needs the extension `{name}()`: import it from 'repose' or 'repose/core', and add it to the proxy, `use: [{name}()]`",
  'part-missing':
    "{what} in the model '{model}' needs the part `{part}`: import it from 'repose' or 'repose/core', and add it to the list of the class on which `define` is called, `static override readonly parts = [...Model.parts, {part}]`",
  'part-invalid':
    "`parts` of the model '{model}' must be a list of objects with a `name`, not {value}. A part that is undefined was imported in a circle",
  'part-type': "The part '{part}' names the field type '{type}', which is built in: give the type another name",
  'store-part-missing':
    "{what} needs the part `{part}`: import it from 'repose' or 'repose/core', and add it to the list of the class of the store or session, `static override readonly parts = [...Store.parts, {part}]`",
  'store-part-invalid':
    "`parts` of '{store}' must be a list of objects with a `name`, not {value}. A part that is undefined was imported in a circle",
} as const;
