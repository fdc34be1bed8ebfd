/**
 * Live rows: a feed keeps the records of a store or session as they are on the server, by the changes that the server sends.
 *
 * @module
 */
export { type Feed, feed } from './live/feed.js';
export type { FeedChange, FeedConfig, FeedConnection, FeedSink, FeedState, OpenFeed } from './live/feed-config.js';
export { type ServerSentEvent, type ServerSentEventsConfig, serverSentEvents } from './live/server-sent-events.js';
