import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { ownSources } from './own-sources.ts';

/*
 * An AWS SDK client defines and registers a class for each error of its service when it is loaded, about fifty for KMS.
 * For an error without a class, the SDK throws the service's base exception with the error's name, message and
 * metadata, which is all we read. So the bundles only register the classes that our sources name, and those that tell
 * the SDK to retry. The shapes of the others are left out too, once esbuild knows that making one has no effect: their
 * computed keys look as if it had.
 */

const registration = /^\w+\.registerError\(\w+\$, (\w+)\);$/gm;
const errorShape = /^(export var \w+\$ = )(\[-3, n0,.*?\]);$/gms;

export const leanClients: Plugin = {
  name: 'lean-clients',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[/\\]client-[^/\\]+[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/ }, ({ path }) => {
      const classes = readFileSync(join(path, '../../models/errors.js'), 'utf8').split(/^export class /m);
      const retried = classes.filter(text => text.includes('$retryable')).map(text => text.split(' ')[0]);
      const sources = ownSources();
      return {
        contents: readFileSync(path, 'utf8')
          .replace(registration, (line, name: string) =>
            name.endsWith('ServiceException') || retried.includes(name) || sources.includes(name) ? line : '',
          )
          .replace(errorShape, '$1/* @__PURE__ */ (() => $2)();'),
      };
    });
  },
};
