import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * An ES module that imports one of Node's own makes Node build an ES module around it, which reads every one of its
 * exports, also those that Node loads only on demand. Getting the module itself avoids that on every cold start.
 */
export const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^(?:node:)?[a-z_]+(?:\/[a-z]+)?$/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.replace(/^(?!node:)/, 'node:'), namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};
