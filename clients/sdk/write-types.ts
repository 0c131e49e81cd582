import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

// Writes the types of every operation from openapi.json. They are not committed: `npm ci` writes them.

const description = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const file = join(import.meta.dirname, 'src/api-types.ts');

/** Sample bodies would be half of the file. */
function withoutExamples(content: { content?: Record<string, { example?: unknown; examples?: unknown }> }): void {
  for (const media of Object.values(content.content ?? {})) {
    delete media.example;
    delete media.examples;
  }
}

interface Operation {
  requestBody?: Parameters<typeof withoutExamples>[0];
  responses: Record<string, Parameters<typeof withoutExamples>[0]>;
}
for (const path of Object.values<Record<string, Operation>>(description.paths)) {
  for (const { requestBody, responses } of Object.values(path)) {
    if (requestBody !== undefined) withoutExamples(requestBody);
    for (const response of Object.values(responses)) withoutExamples(response);
  }
}
for (const response of Object.values<Operation['responses'][string]>(description.components.responses)) {
  withoutExamples(response);
}
delete description.components.examples;
delete description.webhooks;

const types = await openapiTS(description, { emptyObjectsUnknown: true, defaultNonNullable: false });
const rendered = `// Made from openapi.json by \`npm run generate -- sdk-types\`.\n\n${astToString(types)}`;
// An unchanged file keeps its time, so that a watching process doesn't restart.
if (!existsSync(file) || readFileSync(file, 'utf8') !== rendered) writeFileSync(file, rendered);
