/**
 * Dialects for families of servers. Each is a function that returns a `Dialect`; a bundle holds only those that it imports.
 *
 * @module
 */

export { type DirectusOptions, directus } from './dialect/directus.js';
export { type DjangoLookup, type DjangoOptions, django } from './dialect/django.js';
export { ext6 } from './dialect/ext6.js';
export { type FeathersOptions, feathers } from './dialect/feathers.js';
export { type JsonApiOptions, jsonApi } from './dialect/json-api.js';
export { type JsonServerOptions, jsonServer } from './dialect/json-server.js';
export { type LaravelFilterKind, type LaravelOptions, laravel } from './dialect/laravel.js';
export { type LinkHeaderOptions, linkHeader } from './dialect/link-paging.js';
export { type ODataOptions, odata4 } from './dialect/odata4.js';
export { type PocketbaseOptions, pocketbase } from './dialect/pocketbase.js';
export { type PostgrestOptions, postgrest, type SupabaseOptions, supabase } from './dialect/postgrest.js';
export { type RailsOptions, rails } from './dialect/rails.js';
export { type RedmineOptions, redmine } from './dialect/redmine.js';
export { type SpringDataOptions, springData } from './dialect/spring-data.js';
export { type StrapiOptions, strapi } from './dialect/strapi.js';
