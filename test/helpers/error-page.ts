/** How the message of an error ends: with the address of the page about the key of its text. */
export const pageOf = (reason: string): string => ` (https://repose.example/e/${reason})`;

/** The message of an error without the address at its end, as the messages of other errors quote it. */
export const withoutPage = (error: { readonly message: string; readonly reason: string } | undefined): string =>
  error?.message.replace(pageOf(error.reason), '') ?? '';
