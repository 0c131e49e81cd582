/* What other tools of this kind, and git, call the commands that exist here under another name. */

const words: Readonly<Record<string, string>> = {
  pull: 'export download fetch dump',
  list: 'secrets ls keys kv variables vars',
  get: 'show read view cat reveal',
  run: 'exec inject start',
  push: 'import upload sync apply load',
  set: 'add put write update',
  unset: 'delete rm remove del destroy',
  promote: 'copy cp',
  restore: 'rollback revert undo',
  revisions: 'log versions',
  link: 'init setup use',
  login: 'signin configure',
  logout: 'signout',
  whoami: 'me user',
  envs: 'environments configs',
  orgs: 'organizations workspaces',
  members: 'users team',
  audit: 'activity logs',
  exposure: 'leaked',
  validate: 'check verify',
};

const ofSubcommands: Readonly<Record<string, string>> = {
  create: 'add new init make',
  invite: 'add new create',
  leave: 'quit',
  revoke: 'delete rm remove del',
  remove: 'delete rm del unset',
  add: 'create new set',
};

/** Words before another one that says what to do: `secrets set`, `kv get`. */
const nouns = ['secrets', 'kv', 'secret', 'variables', 'vars', 'env', 'keys'];

/**
 * The command that does what these words say in another tool.
 * @param names of the commands that exist
 */
export function commandElsewhere([word = '', next]: readonly string[], names: readonly string[]): string | undefined {
  if (next !== undefined && nouns.includes(word)) {
    const verb = names.includes(next) ? next : named(words, next, names);
    if (verb !== undefined) return verb;
  }
  return named(words, word, names);
}

/** The same for a subcommand, such as `projects add`. */
export const subcommandElsewhere = (word: string, names: readonly string[]): string | undefined =>
  named(ofSubcommands, word, names);

function named(all: typeof words, word: string, names: readonly string[]): string | undefined {
  const found = Object.entries(all).find(([name, others]) => names.includes(name) && others.split(' ').includes(word));
  return found?.[0];
}
