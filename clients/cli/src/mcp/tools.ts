import { secretKeyPattern, secretKeyRule } from '@holdfast/contracts/fields/secret-rules.ts';
import type { ResponseBody } from '@holdfast/sdk';
import * as z from 'zod';
import type { Session } from '../session.ts';

/*
 * The tools of `holdfast mcp`. They use only what a token for names only may do, and leave out of each answer whether
 * values are equal: whatever the token may read, no tool returns a value.
 */

const slug = (what: string) => z.string().optional().describe(`Slug of the ${what}; by default that of the settings.`);
const place = {
  organization: slug('organization'),
  project: slug('project'),
  environment: slug('environment'),
};
const key = z
  .string()
  .regex(secretKeyPattern, `A key ${secretKeyRule}.`)
  .describe('The secret’s key, such as DATABASE_PASSWORD.');
const generated = {
  length: z.int().optional().describe('How many characters: 8 to 4096, by default 32.'),
  alphabet: z
    .string()
    .optional()
    .describe('At least 10 different characters to choose from; by default letters and digits.'),
};
const change = {
  set: z
    .array(z.strictObject({ key, generate: z.strictObject(generated).describe('How the service makes the value.') }))
    .optional()
    .describe('Secrets to set to new random values. A value can’t be given: nobody sees what is generated.'),
  delete: z.array(key).optional().describe('Keys to delete. Together with `set`, never with `promote`.'),
  promote: z
    .strictObject({
      from: z.string().describe('Slug of the environment of the same project to copy from.'),
      keys: z.array(key).optional().describe('The keys to copy; by default all.'),
      overwrite: z.boolean().optional().describe('Whether to replace values that are there; by default yes.'),
    })
    .optional()
    .describe('Copies values from another environment, without showing them.'),
  message: z.string().optional().describe('Why, in one line. Never include a secret.'),
};

const shapes = {
  list_environments: { ...place },
  list_keys: { ...place, search: z.string().optional().describe('Only keys with this prefix. Case-sensitive.') },
  describe_key: { ...place, key },
  diff_keys: { ...place, with: z.string().describe('Slug of another environment of the project.') },
  validate: { ...place },
  due: { ...place, within: z.string().optional().describe('Within these days, such as 30d (the default).') },
  plan: { ...place, ...change },
  generate_secret: { ...place, key, ...generated },
  propose: { ...place, ...change },
} as const;

type ToolName = keyof typeof shapes;
type Input<Name extends ToolName> = z.output<z.ZodObject<(typeof shapes)[Name]>>;
type Place = Input<'validate'>;
type Change = Pick<Input<'plan'>, keyof typeof change>;
type PlaceMember = keyof Place;

const descriptions: Readonly<Record<ToolName, string>> = {
  list_environments: 'Lists the projects of the organization with their environments, types and revisions.',
  list_keys: 'Lists the keys of an environment with versions, due dates and what the template says. No values.',
  describe_key: 'Tells everything about one key except its value: its history, and what the template says about it.',
  diff_keys: 'Lists the keys that only one of two environments has. Does not compare values.',
  validate: 'Checks an environment against the project’s template: keys that are missing, undeclared or invalid.',
  due: 'Lists values that have to be renewed soon or are overdue.',
  plan: 'Tells which keys a change would create, replace and delete. Changes nothing.',
  generate_secret:
    'Sets one secret to a random value that the service makes and nobody sees. Replaces the value that is there.',
  propose: 'Proposes a change, for people to look at and approve. Nothing changes until then.',
};
const writing: readonly ToolName[] = ['generate_secret', 'propose'];

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  isReading: boolean;
  call(input: never): Promise<object>;
}

export function toolsOf(session: Session): Tool[] {
  const calls = callsOf(session);
  return (Object.keys(shapes) as ToolName[]).map(name => ({
    name,
    description: descriptions[name],
    input: z.strictObject(shapes[name]),
    isReading: !writing.includes(name),
    call: calls[name],
  }));
}

function callsOf(session: Session): { [Name in ToolName]: (input: Input<Name>) => Promise<object> } {
  const slugOf = async (given: Place, member: PlaceMember) => given[member] ?? (await session.place(member))[member];
  const environmentOf = async (given: Place) =>
    (await session.client()).environment(
      await slugOf(given, 'organization'),
      await slugOf(given, 'project'),
      await slugOf(given, 'environment'),
    );
  const organizationIdOf = (given: Place) => session.organizationId(given.organization);
  /** For lists of several places: what is neither given nor set limits nothing. */
  const limitOf = (given: Place, member: PlaceMember) => given[member] ?? session.settings()[member]?.value;
  return {
    list_environments: async given => {
      const path = { orgId: await organizationIdOf(given) };
      const { projects } = await session.request('GET', '/v1/projects/{orgId}', { path });
      const isNamed = ({ slug: name }: { slug: string }, named: string | undefined) => (named ?? name) === name;
      return {
        projects: projects
          .filter(project => isNamed(project, limitOf(given, 'project')))
          .map(({ slug: project, name, environments }) => ({
            project,
            name,
            environments: environments
              .filter(environment => isNamed(environment, given.environment))
              .map(({ slug: environment, type, revision, secretCount }) => {
                return { environment, type, revision, secretCount };
              }),
          })),
      };
    },
    list_keys: async ({ search, ...given }) => {
      const { keys, revision } = await (await environmentOf(given)).keys({
        describe: true,
        ...(search !== undefined && { search }),
      });
      return { revision, keys: keys.map(listed) };
    },
    describe_key: async given => describeKey(session, await environmentOf(given), given.key),
    diff_keys: async ({ with: other, ...given }) => {
      const here = await environmentOf(given);
      const there = (await session.client()).environment(here.organization, here.project, other);
      const [ofHere, ofThere] = await Promise.all([namesIn(here), namesIn(there)]);
      const onlyIn = (one: ReadonlySet<string>, another: ReadonlySet<string>) =>
        [...one].filter(name => !another.has(name));
      return {
        onlyIn: { [here.slug]: onlyIn(ofHere, ofThere), [other]: onlyIn(ofThere, ofHere) },
        inBoth: [...ofHere].filter(name => ofThere.has(name)),
      };
    },
    validate: async given => (await environmentOf(given)).validate(),
    due: async ({ within = '30d', ...given }) => {
      const path = { orgId: await organizationIdOf(given) };
      const [project, environment] = [limitOf(given, 'project'), limitOf(given, 'environment')];
      const query = { within, ...(project !== undefined && { project }) };
      const { due } = await session.request('GET', '/v1/due/{orgId}', { path, query });
      return { due: due.filter(one => (environment ?? one.environment) === one.environment) };
    },
    plan: async given => planOf(session, await environmentOf(given), given),
    generate_secret: async ({ key: name, length, alphabet, ...given }) => {
      const environment = await environmentOf(given);
      const how = { ...(length !== undefined && { length }), ...(alphabet !== undefined && { alphabet }) };
      const { secret, revision } = await environment.generate(name, how);
      return { key: secret.key, version: secret.version, revision };
    },
    propose: async given => proposeIn(session, await environmentOf(given), given),
  };
}

type ListedKey = Awaited<ReturnType<Environment['keys']>>['keys'][number];

/** Without what nobody has said about it: an agent pays for each word. */
function listed({ createdAt: _, updatedBy, ...rest }: ListedKey): object {
  const said = Object.entries(rest).filter(([, fact]) => fact !== null && !(Array.isArray(fact) && fact.length === 0));
  return { ...Object.fromEntries(said), updatedBy: updatedBy.email };
}

type Environment = Awaited<ReturnType<Session['environment']>>;

const pathOf = ({ organization, project, slug: env }: Environment) => ({ orgSlug: organization, project, env });

async function namesIn(environment: Environment): Promise<Set<string>> {
  return new Set((await environment.keys()).keys.map(one => one.key));
}

const versionsShown = 20;

async function describeKey({ request }: Session, environment: Environment, name: string): Promise<object> {
  const { orgSlug, project } = pathOf(environment);
  const [{ keys: declared }, { keys }] = await Promise.all([
    request('GET', '/v1/templates/{orgSlug}/{project}', { path: { orgSlug, project } }),
    environment.keys({ search: name, describe: true }),
  ]);
  const current = keys.find(one => one.key === name);
  const history = await environment
    .history(name, { limit: versionsShown })
    .catch((error: { code?: string }) => (error.code === 'secret_not_found' ? undefined : Promise.reject(error)));
  return {
    key: name,
    exists: current !== undefined,
    ...(current && listed(current)),
    template: declared.find(one => one.key === name) ?? null,
    versions: history?.versions ?? [],
  };
}

/** @throws Error for a mixture */
function requestOf(
  environment: Environment,
  { set = [], delete: deletions = [], promote, message }: Change,
): { promote: NonNullable<Change['promote']> } | { changes: object; requested: string[] } {
  if (promote !== undefined && set.length + deletions.length > 0) {
    throw new Error('Give either `promote`, or `set` and `delete`: they can’t be one change.');
  }
  if (promote !== undefined) return { promote };
  if (set.length + deletions.length === 0) {
    throw new Error(`Say what to change in ${environment.slug}: \`set\`, \`delete\` or \`promote\`.`);
  }
  const why = message === undefined ? {} : { message };
  return { changes: { set, delete: deletions, ...why }, requested: set.map(one => one.key) };
}

interface Planned {
  created: readonly string[];
  replaced: readonly string[];
  deleted: readonly string[];
  revision: number;
}

/** By names alone: a key that is there is `replaced`, whether its value would differ or not. */
async function planOf({ request, client }: Session, environment: Environment, given: Change): Promise<Planned> {
  const wanted = requestOf(environment, given);
  const { project, orgSlug, env } = pathOf(environment);
  const query = { dryRun: true };
  type Answer = ResponseBody<'POST', '/v1/secrets/{orgSlug}/{project}/{env}/changes'>;
  let answer: unknown;
  let requested: readonly string[];
  if ('promote' in wanted) {
    const { keys, ...rest } = wanted.promote;
    const source = (await client()).environment(orgSlug, project, rest.from);
    const body = { ...rest, to: env, ...(keys !== undefined && { keys }) } as never;
    answer = await request('POST', '/v1/secrets/{orgSlug}/{project}/promote', {
      path: { orgSlug, project },
      query,
      body,
    });
    requested = rest.overwrite === false ? [] : (keys ?? [...(await namesIn(source))]);
  } else {
    const path = { orgSlug, project, env };
    answer = await request('POST', '/v1/secrets/{orgSlug}/{project}/{env}/changes', {
      path,
      query,
      body: wanted.changes as never,
    });
    ({ requested } = wanted);
  }
  const { plan, revision } = answer as Extract<Answer, { plan: unknown }>;
  const created = new Set(plan.created);
  const replaced = requested.filter(name => !created.has(name)).toSorted();
  return { created: plan.created, replaced, deleted: plan.deleted, revision };
}

async function proposeIn(session: Session, environment: Environment, given: Change): Promise<object> {
  const wanted = requestOf(environment, given);
  const { created, replaced, deleted } = await planOf(session, environment, given);
  const path = pathOf(environment);
  const why = given.message === undefined ? {} : { message: given.message };
  const body = ('promote' in wanted ? { promote: wanted.promote, ...why } : wanted.changes) as never;
  const answer = await session.request('POST', '/v1/secrets/{orgSlug}/{project}/{env}/proposals', { path, body });
  const { id, state, needed, expiresAt } = answer.proposal;
  const { organization, project, slug: env } = environment;
  const page = `${session.url()}/organizations/${organization}/projects/${project}/environments/${env}/proposals/${id}`;
  return { id, state, needed, expiresAt, page, created, replaced, deleted };
}
