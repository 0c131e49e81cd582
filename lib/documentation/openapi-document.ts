import openapi from '../../openapi.json' with { type: 'json' };
import { publicDocument } from './public-document.ts';

/**
 * `openapi.json` with one change: the server is this installation. A relative server URL is resolved against the
 * document's own URL (OpenAPI 3.1, section 4.8.5).
 */
export const openApiDocument = publicDocument(
  JSON.stringify({ ...openapi, servers: [{ url: '/', description: 'This installation.' }] }),
  { 'content-type': 'application/json; charset=utf-8' },
);
