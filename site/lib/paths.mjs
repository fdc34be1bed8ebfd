import path from 'node:path';

/** The folder of the project. */
export const root = path.resolve(import.meta.dirname, '../..');
/** The folder of the site, and in it the pages as VitePress reads them. */
export const site = path.join(root, 'site');
export const content = path.join(site, 'content');
/** The site as a web server gives it to readers. */
export const built = path.join(site, 'dist');
/** The address of the site. The messages of errors end with addresses below it. */
export const address = 'https://repose.example/';
