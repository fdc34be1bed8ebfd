/** Texts about models, stores, proxies, options and extensions that are declared wrongly. */
export const definitionMessages = {
  // Models and fields
  'model-undefined':
    '{model} has no fields: declare it by `class {model} extends Model.define({ fields: … }) {}`, and use that class',
  'id-property': "`idProperty` names '{field}', which is not a field of {model}{hint}",
  'reference-field': "`references()` of {model} names '{field}', which is not a field{hint}",
  'field-reserved':
    "'{field}' of {model} is a member of every record: give the field another name, and set its `mapping` to '{field}'",
  'field-hidden':
    "The class fields '{fields}' of {Class} hide fields of the model '{model}', whose values would never be read. The types come from `define`: remove these lines, or write `declare {field}: …`; a default value goes into `defaultValue`",
  'field-type': "The `type` of the field '{field}' of {model} cannot be {type}{hint}",
  'field-mapping':
    "The `mapping` of the field '{field}' of {model} ('{mapping}') must have no part that is empty or '__proto__'",
  'field-default':
    "New records would share the default of '{field}': set `defaultValue` to a function, which is called for each record",
  'path-depth': 'A path must have at most {most} names ({option}): no server nests its data deeper',
  'path-malformed':
    "'{path}' is not a path ({option}): close each quoted name, and put a dot or a bracket behind it, as in links['self.href'].id",
  validator:
    "A validator of '{field}' must return undefined or { code, message }, and at once, not {value}: check what takes time before `save()`",
  'constructor-arguments':
    'The constructor of {model} must pass on all of its arguments: `constructor(...given) { super(...given); }`',
  // Proxies, options, functions
  'proxy-type': "There is no proxy type '{type}'; known: {known}",
  'json-api-type':
    "The relationship '{relationship}' has no type of resources to link to: give its type in `relationships` of `jsonApi()`, or declare the model in `references()`",
  'proxy-missing':
    '{model} has no proxy: set `proxy: { url: … }` in `define`, or define the model on a class that has one (`Model.with({ proxy })`)',
  'proxy-action':
    "Actions of {model} need a proxy that sends requests, not a {type}: set `type: 'rest'` or `type: 'ajax'`",
  hook: 'A function of the application failed: {why}. Correct it: `error.cause` has its stack',
  headers: '`headers` must be an object of texts, or a function that returns one, not {value}',
  'header-name':
    "'{name}' cannot be the name of a header: use letters, digits and hyphens only, as in 'X-Tenant', and correct `headers`",
  'header-value':
    "The value of the header '{name}' cannot be sent: remove line breaks from it, and encode what is not Latin-1, such as with `encodeURIComponent()`",
  'fetch-response': '`fetch` of the proxy must resolve with a `Response`, not {value}',
  'singleton-outbox':
    "An outbox tells records apart by their ids, which a `singleton` has not: add `off('outbox')` to `use` of that proxy",
  // Extensions and parts
  'extension-list': '`use` must be a list of extensions, such as `use: [retry()]`, not {value}',
  extension:
    '`use` holds {value}, which is no extension: an extension is an object with a `name` and a `layer`, such as `retry()` returns',
  'extension-hook': "The hook `{hook}` of the extension '{name}' must be a function, not {value}",
  'extension-outcomes':
    "The `write` hook of the extension '{name}' must resolve with a list of {count} outcomes, one for each record: `{ row }`, or `{ error }` with a DataError",
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
