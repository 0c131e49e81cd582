import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { parseSync, Visitor } from 'oxc-parser';
import { applyEdits, type Edit, memberRemovals } from './edit-source.ts';
import { ownSources } from './own-sources.ts';

/*
 * A zod schema has about a hundred methods, and through them each kind of schema references all others: every text
 * format, every way to parse, the conversion to JSON Schema. A cold start would load all of it and install each method
 * on each kind of schema. In the bundles, schemas only have the members whose names occur in our sources, and esbuild
 * drops the rest.
 */

/**
 * Parts that no request needs: JSON Schema (the documentation is generated beforehand), zod's own messages (ours are in
 * `messages.ts`), and the handling of circular values, which JSON cannot contain.
 */
const unusedParts = [
  ['import * as processors from "../core/json-schema-processors.js";', 'const processors = {};'],
  ['import { createStandardJSONSchemaMethod, createToJSONSchemaMethod } from "../core/to-json-schema.js";', ''],
  ['import en from "../locales/en.js";', 'const en = () => ({});'],
  ['core.config({ memoizer: core.memoizer() });', 'return;'],
] as const;

export const leanZod: Plugin = {
  name: 'lean-zod',
  setup: ({ onLoad }) => {
    let contents: string | undefined;
    onLoad({ filter: /zod[/\\]v4[/\\]classic[/\\]schemas\.js$/ }, ({ path }) => {
      contents ??= leanSchemas(path);
      return { contents };
    });
  },
};

function leanSchemas(path: string): string {
  let source = readFileSync(path, 'utf8');
  for (const [part, replacement] of unusedParts) {
    if (!source.includes(part)) throw new Error(`${path} no longer has this line, see lean-zod.ts: ${part}`);
    source = source.replace(part, replacement);
  }
  const used = namesUsed(source);
  const edits: Edit[] = [];
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      // `$constructor(name, initializer, members)`, where the members may be `derived(getters, members)`.
      if (!/\.(?:\$constructor|derived)$/.test(source.slice(callee.start, callee.end))) return;
      for (const members of given) {
        if (members.type === 'ObjectExpression')
          edits.push(...memberRemovals(source, members, name => name !== '' && !used.has(name)));
      }
    },
  }).visit(parseSync(path, source).program);
  return applyEdits(source, edits);
}

/** All names that follow a dot in our sources, and those that zod's schemas use on each other. */
function namesUsed(schemas: string): ReadonlySet<string> {
  const names = [...ownSources().matchAll(/\.(\w+)/g), ...schemas.matchAll(/\b(?:this|inst)\.(\w+)/g)];
  return new Set(names.map(match => match[1] ?? ''));
}
