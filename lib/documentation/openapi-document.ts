import openapi from '../../openapi.json' with { type: 'json' };
import { publicDocument } from './public-document.ts';

/**
 * `openapi.json` with one change: its server is this installation. A relative address is resolved against the
 * document's own (OpenAPI 3.1, section 4.8.5).
 */
export const openApiDocument = publicDocument(
  JSON.stringify({ ...openapi, servers: [{ url: '/', description: 'This installation.' }] }),
  { 'content-type': 'application/json; charset=utf-8' },
);
