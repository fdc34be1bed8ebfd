import type { NextConfig } from 'next';

/** Requests of the page to `/api` go to the API, which the server asks at the same address. */
const config: NextConfig = {
  rewrites: async () => [{ source: '/api/:path*', destination: `${process.env['API_URL']}/api/:path*` }],
};

export default config;
