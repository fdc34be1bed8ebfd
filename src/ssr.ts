/**
 * Rendering on a server: gives a page the data of the session from which it was rendered.
 *
 * @module
 */
export { dehydrate, type ModelNames, stringify } from './ssr/dehydrate.js';
export { hydrate } from './ssr/hydrate.js';
export type { RenderedEtag, RenderedModel, RenderedQuery, RenderedState } from './ssr/state.js';
