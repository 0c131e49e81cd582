import { usage } from '../../failure.ts';
import type { Answer, Held, Kit, Place, Source, Step } from '../place.ts';
import { answered, taken } from '../target-failure.ts';

/*
 * Environment variables of a project, for one of its environments (vercel.com/docs/rest-api). The comment of a variable has
 * the source and the revision; it is written together with the value.
 */

const target = 'Vercel';
const environments = ['production', 'preview', 'development'];
/** vercel.com/docs/environment-variables: for the names and values of a deployment. */
const maxTotalBytes = 65_536;
/** vercel.com/docs/environment-variables/reserved-environment-variables */
const reserved = `AWS_SECRET_KEY AWS_EXECUTION_ENV AWS_LAMBDA_LOG_GROUP_NAME AWS_LAMBDA_LOG_STREAM_NAME
  AWS_LAMBDA_FUNCTION_NAME AWS_LAMBDA_FUNCTION_MEMORY_SIZE AWS_LAMBDA_FUNCTION_VERSION NOW_REGION TZ LAMBDA_TASK_ROOT
  LAMBDA_RUNTIME_DIR`.split(/\s+/);

interface Variable {
  id: string;
  key: string;
  target?: string | string[];
  gitBranch?: string | null;
  customEnvironmentIds?: string[];
  comment?: string;
}

type Send = (method: string, path: string, body?: unknown, query?: Record<string, string>) => Promise<Answer>;

export function openPlace(to: string, kit: Kit): Place {
  const [, project = '', environment = ''] = /^([A-Za-z0-9._-]+):([a-z]+)$/.exec(to) ?? [];
  if (!environments.includes(environment))
    throw usage(`For vercel, --to is PROJECT:TARGET; targets: ${environments.join(', ')}.`);
  const { VERCEL_TOKEN: token, VERCEL_ORG_ID: owner = '', VERCEL_API_URL = 'https://api.vercel.com' } = kit.variables;
  if (!token) throw usage('VERCEL_TOKEN must hold an access token of Vercel.');
  const send: Send = (method, path, body, query = {}) => {
    // A personal account has an id too, but is no team.
    const all = new URLSearchParams({ ...query, ...(owner.startsWith('team_') ? { teamId: owner } : {}) });
    return kit.request({
      method,
      url: `${VERCEL_API_URL.replace(/\/+$/, '')}${path}${all.size === 0 ? '' : `?${all}`}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  };
  let known = new Map<string, Variable>();
  return {
    title: `the environment ${environment} of the project ${project}`,
    batchSize: 1,
    hasRevision: false,
    namesVariables: true,
    refuses: name => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not a name that Vercel allows: use letters, digits and _';
      return reserved.includes(name) ? 'is reserved by Vercel' : undefined;
    },
    refusesTogether: entries => {
      const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
      const [largest] = entries.toSorted(([, a], [, b]) => b.length - a.length);
      if (bytes <= maxTotalBytes || largest === undefined) return [];
      return [{ key: largest[0], reason: 'is the largest of variables that have more than 64 KB together' }];
    },
    read: async () => {
      known = new Map((await listVariables(send, project, environment)).map(variable => [variable.key, variable]));
      return { names: new Map([...known].map(([name, variable]) => [name, heldOf(variable)])) };
    },
    write: async ([step], { source }) => {
      if (step !== undefined)
        await writeOne(send, { project, environment }, step, { source, there: known.get(step.name) });
    },
  };
}

/** Those that deployments of the environment get, whatever their branch. */
async function listVariables(send: Send, project: string, environment: string): Promise<Variable[]> {
  const all: Variable[] = [];
  let until: number | null | undefined;
  do {
    const query = until ? { until: String(until) } : {};
    const answer = await send('GET', `/v10/projects/${project}/env`, undefined, query);
    if (answer.status !== 200) throw failureOf(answer);
    all.push(...(answer.body.envs ?? []));
    until = answer.body.pagination?.next;
  } while (until);
  return all.filter(({ target: of = [], gitBranch }) => [of].flat().includes(environment) && !gitBranch);
}

const commentOf = ({ name, revision }: Source): string => `holdfast ${name} ${revision}`;

function heldOf({ target: of = [], customEnvironmentIds = [], comment = '' }: Variable): Held {
  // A change of its value would change it for the others too.
  if ([of].flat().length + customEnvironmentIds.length > 1) return { fixed: 'also has other environments as targets' };
  const [, owner, revision = 'unknown'] = /^holdfast (\S+) (\S+)$/.exec(comment) ?? [];
  return { owner, revision };
}

interface At {
  project: string;
  environment: string;
}

interface Context {
  source: Source;
  /** What was read under this name. */
  there: Variable | undefined;
}

async function writeOne(send: Send, at: At, step: Step, { source, there }: Context): Promise<void> {
  const path = `/v9/projects/${at.project}/env`;
  if (step.value === undefined) {
    const answer = await send('DELETE', `${path}/${there?.id}`);
    if (answer.status >= 300 && answer.status !== 404) throw failureOf(answer);
    return;
  }
  const id = step.kind === 'create' ? await create(send, at, step, source) : there?.id;
  if (id === undefined) return;
  const answer = await send('PATCH', `${path}/${id}`, { value: step.value, comment: commentOf(source) });
  if (answer.status >= 300) throw failureOf(answer);
}

/** @returns the id of the variable if it is there already, and ours */
async function create(send: Send, at: At, { name, value }: Step, source: Source): Promise<string | undefined> {
  const { project, environment } = at;
  // Nobody can read a sensitive one again; a development environment can't have any.
  const type = environment === 'development' ? 'encrypted' : 'sensitive';
  const variable = { key: name, value, type, target: [environment], comment: commentOf(source) };
  const answer = await send('POST', `/v10/projects/${project}/env`, variable);
  const failed = answer.status < 300 ? answer.body?.failed?.[0]?.error : answer.body?.error;
  if (answer.status < 300 && failed === undefined) return undefined;
  if (!['ENV_CONFLICT', 'ENV_ALREADY_EXISTS'].includes(failed?.code))
    throw failureOf({ ...answer, body: { error: failed } });
  // Created by the attempt whose answer was lost, or by another sync of the same source.
  const existing = (await listVariables(send, project, environment)).find(({ key }) => key === name);
  if (existing !== undefined && heldOf(existing).owner === source.name) return existing.id;
  throw taken(`${name} was created meanwhile, by somebody else.`);
}

function failureOf({ status, body }: Answer) {
  return answered(target, status, body?.error?.code, {
    401: 'Is the token in VERCEL_TOKEN still valid?',
    403: 'May the token change this project? A team’s project needs VERCEL_ORG_ID.',
    404: 'Does the project exist? A team’s project needs VERCEL_ORG_ID.',
  });
}
