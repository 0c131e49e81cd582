type Builtin = NonNullable<typeof globalThis.process>['getBuiltinModule'];
type BuiltinModules = {
  'node:child_process': typeof import('node:child_process');
  'node:fs': typeof import('node:fs');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
};

/** A module of Node, loaded on demand because browsers lack it. @throws TypeError before Node 20.16 */
export function nodeModule<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] {
  const load: Builtin | undefined = globalThis.process?.getBuiltinModule;
  if (load === undefined) throw new TypeError('This source of ID tokens requires Node 20.16 or newer.');
  return load(name) as BuiltinModules[Name];
}
