/** Headers of every request: an object, or a function that is called for each request, such as for a token. */
export type HeadersConfig = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
