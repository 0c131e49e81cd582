import { extname } from 'node:path';
import type { DashboardFiles } from '#clients/dashboard/build.ts';
import { dashboardHeaders, mediaTypeOf } from '../../plan/dashboard-headers.ts';
import { type Answer, empty } from './answer.ts';

/**
 * The dashboard's response to a request outside the API: a file, or the page for any other path without a file
 * extension. The page then shows the right screen. Undefined if the request is for the API.
 */
export function dashboardAnswer(files: DashboardFiles, method: string, path: string): Answer | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || path === '/v1' || path.startsWith('/v1/')) return undefined;
  const file = files.get(path);
  const ending = extname(path);
  if (file !== undefined && path !== '/') {
    return {
      ...empty(200),
      headers: {
        ...dashboardHeaders,
        'content-type': mediaTypeOf(path),
        // The names of the assets change with their content.
        'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
      body: file,
    };
  }
  const page = files.get('/');
  if (page === undefined || ending !== '') return undefined;
  return {
    ...empty(200),
    headers: { ...dashboardHeaders, 'content-type': mediaTypeOf('index.html'), 'cache-control': 'no-cache' },
    body: page,
  };
}
