/* What other tools of this kind, and git, call the commands that exist here under another name. */

const words: Readonly<Record<string, string>> = {
  pull: 'export download fetch dump',
  list: 'secrets ls keys variables vars',
  get: 'show read view cat reveal config:get ssm secretsmanager',
  run: 'exec inject start shell',
  push: 'upload apply load',
  set: 'add put write update config:set',
  unset: 'delete rm remove del destroy config:unset',
  promote: 'copy cp',
  proposals: 'approvals reviews review requests',
  restore: 'rollback revert undo',
  revisions: 'log versions releases',
  diff: 'compare',
  link: 'init setup use switch',
  login: 'signin configure auth',
  logout: 'signout',
  whoami: 'me user',
  envs: 'environments configs',
  orgs: 'organizations workspaces',
  members: 'users team',
  audit: 'activity logs',
  exposure: 'leaked',
  validate: 'check verify',
};

/** What no single command does, and a sentence about it. */
const advice: Readonly<Record<string, string>> = {
  revoke: 'Did you mean tokens revoke?',
  propose: 'To propose a change: --propose after push, set, unset, edit, promote or restore',
  approve: 'Did you mean proposals approve?',
  reject: 'Did you mean proposals reject?',
  'service-token': 'Did you mean tokens create?',
  'service-tokens': 'Did you mean tokens create?',
  unlink: 'Delete the file .holdfast.json of this directory.',
  config:
    'Did you mean get or set? The environments are listed by holdfast envs, and what is in use by holdfast status.',
  kv: 'Did you mean get or set?',
  env: 'Did you mean envs? To give the secrets to a command: holdfast run -- COMMAND',
  version: 'Did you mean --version?',
  upgrade: 'Run the install script again: your service’s address, then /install.sh',
  dashboard: 'The dashboard is at the address that holdfast status shows.',
  open: 'The dashboard is at the address that holdfast status shows.',
  signup: 'Register in the dashboard, then: holdfast login',
  register: 'Register in the dashboard, then: holdfast login',
};

const ofSubcommands: Readonly<Record<string, string>> = {
  create: 'add new init make',
  invite: 'add new create',
  leave: 'quit',
  revoke: 'delete rm remove del',
  withdraw: 'delete rm remove del cancel close',
  show: 'get view diff',
  remove: 'delete rm del unset',
  add: 'create new set',
};

/** Words before another one that says what to do: `secrets set`, `kv get`. */
const nouns = ['secrets', 'kv', 'secret', 'variables', 'vars', 'env', 'keys', 'config', 'ssm', 'secretsmanager'];

/**
 * A sentence about the command that does what these words say in another tool, or that is almost spelled so.
 * @param names of the commands that exist
 */
export function commandElsewhere([word = '', next]: readonly string[], names: readonly string[]): string | undefined {
  const verb = next === undefined || !nouns.includes(word) ? undefined : named(words, next, names, next);
  const meant = verb ?? named(words, word, names) ?? (Object.hasOwn(advice, word) ? undefined : nearest(word, names));
  return meant === undefined ? advice[word] : `Did you mean ${meant}?`;
}

/** Words for what every command with subcommands does without one. */
const toList = ['list', 'ls', 'show', 'all'];
/** Words for what only the dashboard does, unless a subcommand of that name exists. */
const inDashboard = 'delete remove rm del destroy update edit rename create add new role';

/** The same for a subcommand, such as `projects add`. */
export function subcommandElsewhere(command: string, word: string, names: readonly string[]): string | undefined {
  if (toList.includes(word)) return `holdfast ${command} lists them`;
  const meant = named(ofSubcommands, word, names) ?? nearest(word, names);
  if (meant !== undefined) return `Did you mean ${command} ${meant}?`;
  if (command === 'proposals') return advice.propose;
  return inDashboard.split(' ').includes(word) ? 'This is done in the dashboard.' : undefined;
}

/** Names of environments. Only they are repeated, because another word may be a value. */
const environments = 'dev develop development test testing qa stage stg staging preview ci local prod production'.split(
  ' ',
);

const asEnvironment = (word: string | undefined): string =>
  `-e ${word !== undefined && environments.includes(word) ? word : 'ENVIRONMENT'}`;

/** What an argument too many was meant for. */
export function excessElsewhere(command: string, word: string): string | undefined {
  if (toList.includes(word) && ['orgs', 'revisions', 'audit', 'envs'].includes(command)) {
    return `holdfast ${command} lists them`;
  }
  if (command === 'orgs' && inDashboard.split(' ').includes(word)) return 'This is done in the dashboard.';
  if (command === 'pull' && /^[\w./-]*\.(?:env|json|ya?ml|sh|tfvars)[\w.-]*$/.test(word)) {
    return `To write a file: holdfast pull -o ${word}`;
  }
  return /^[a-z][a-z0-9-]{0,47}$/.test(word) ? `To name an environment: ${asEnvironment(word)}` : undefined;
}

/**
 * What an option of another tool was meant for.
 * @param rest what follows the option
 */
export function optionElsewhere(command: string, flag: string, rest: readonly string[]): string | undefined {
  if (flag === '--token') {
    const way = command === 'login' ? 'holdfast login --with-token reads a token' : 'HOLDFAST_TOKEN names a token';
    const from = command === 'login' ? ' from standard input' : '';
    return `${way}${from}. One that was given here is now in your shell’s history: revoke it if others can read that.`;
  }
  const isCommand = command === 'run' && !rest.includes('--');
  if (flag === '--command' || (flag === '-c' && isCommand)) return throughShell;
  return ['-c', '--config', '--environment'].includes(flag) ? `Did you mean ${asEnvironment(rest[0])}?` : undefined;
}

export const throughShell = "To run it with a shell: holdfast run -- sh -c '…'";

function named(all: typeof words, word: string, names: readonly string[], own?: string): string | undefined {
  if (own !== undefined && names.includes(own)) return own;
  const found = Object.entries(all).find(([name, others]) => names.includes(name) && others.split(' ').includes(word));
  return found?.[0];
}

/** Not for `unlink`, which is the opposite of what resembles it. */
function nearest(word: string, names: readonly string[]): string | undefined {
  return word.startsWith('un') && !names.some(name => name.startsWith('un') && isNear(word, name))
    ? undefined
    : nearestOf(word, names);
}

/** The name that is one typing mistake away, or two in a word of more than six letters. */
export const nearestOf = (word: string, names: readonly string[]): string | undefined =>
  names.find(name => isNear(word, name, 1)) ?? names.find(name => isNear(word, name));

function isNear(word: string, name: string, most = word.length > 6 ? 2 : 1): boolean {
  if (most < 0) return false;
  const [a, b] = [word.slice(1), name.slice(1)];
  if (word === '' || name === '') return word.length + name.length <= most;
  if (word[0] === name[0]) return isNear(a, b, most);
  const isSwapped = word[0] === name[1] && word[1] === name[0] && isNear(word.slice(2), name.slice(2), most - 1);
  return isSwapped || isNear(a, b, most - 1) || isNear(a, name, most - 1) || isNear(word, b, most - 1);
}
