/** Headers of every request: an object, or a function that is asked per request (tokens). */
export type HeadersConfig = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
