/** Texts about the state that a server-rendered page brings. Nothing has changed when one of these is thrown. */
export const renderingMessages = {
  'rendered-form': 'The state of the page is no state: {what}. Give `hydrate` the text that `stringify` made',
  'rendered-version':
    'The state of the page has version {version}, and version 2 is known here: use the same version of the package on the server and in the page',
  'rendered-model':
    "The state of the page has rows of the model '{model}', which is not known here: give its class to `hydrate`",
  'rendered-classes':
    "Two classes of the model '{model}' with the same address have rows of this session, and the page could not tell them apart. Give them names: `dehydrate(session, [], { one: A, two: B })`, and `hydrate(session, state, { one: A, two: B })`",
  'rendered-ambiguous':
    "The state of the page has rows of the model '{model}', which belong to more than one of the given classes. Give `hydrate` one of them, or name them: `dehydrate(session, [], { one: A, two: B })`, and `hydrate(session, state, { one: A, two: B })`",
  'rendered-name':
    "The state of the page has rows under the name '{name}', which names no class of the model '{model}' here: give `hydrate` the classes by the names that `dehydrate` got, such as `{ {name}: A }`",
};
