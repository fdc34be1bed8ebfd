/** Texts about values that a form cannot carry. Those of issues follow the name of the field. */
export const formMessages = {
  'form-nested':
    "cannot be sent in a form: it is a list or an object, and nothing says how its parts are named. Set `writer: { names: 'brackets' }` or `'dots'`, or give the field a `serialize`",
  'form-empty':
    'cannot be sent in a form: an empty list or object has no entry. Say how your server reads it with `writer: { values: { empty } }`, or give the field a `serialize`',
  'form-name':
    "cannot be sent in a form: a server would take the name '{name}' for several. Rename the member, or name the parts with a function, `writer: { names }`",
  'form-text': 'cannot be sent in a form: it holds a lone surrogate, which has no bytes. Correct the text',
  'form-depth':
    'cannot be sent in a form: it is nested deeper than 100 levels, or contains itself. Give the field a `serialize`',
  'form-body': 'A form needs an object of values by name: correct `writer.transform`, or send such a body with `fetch`',
} as const;
