/** An error whose text can be made anew. */
export interface WordedError {
  message: string;
  /** Makes the text anew from what the error says now. */
  inWords(messages: undefined): { readonly message: string };
}
