import openapi from '../../openapi.json' with { type: 'json' };
import { publicDocument } from './public-document.ts';

/**
 * `openapi.json` with one change: its server is the one it was fetched from (a relative address is resolved against
 * the document's own, OpenAPI 3.1 §4.8.5), so that a client works against this installation.
 */
export const openApiDocument = publicDocument(
  JSON.stringify({ ...openapi, servers: [{ url: '/', description: 'This installation.' }] }),
  { 'content-type': 'application/json; charset=utf-8' },
);
