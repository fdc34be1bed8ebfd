/** Texts about the state that a server-rendered page brings. Nothing has changed when one of these is thrown. */
export const renderingMessages = {
  'rendered-form': 'The state of the page is no state: {what}. Give `hydrate` the text that `stringify` made',
  'rendered-version':
    'The state of the page has version {version}, and version 1 is known here: use the same version of the package on the server and in the page',
  'rendered-model':
    "The state of the page has rows of the model '{model}', which is not known here: give its class to `hydrate`",
};
