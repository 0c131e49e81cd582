import { startTarget, type TargetAnswer, type TargetRequest, type TargetWorld } from './target-server.ts';

/* Environment variables of a Vercel project (vercel.com/docs/rest-api/projects). */

export interface Variable {
  id: string;
  key: string;
  value: string;
  type: string;
  target: string[];
  comment?: string;
  gitBranch?: string;
}

export async function startVercel({ token = 'vercel-token', project = 'web-shop', team = 'team_acme' } = {}) {
  const variables: Variable[] = [];
  let nextId = 1;
  const fail = (status: number, code: string, more: object = {}): TargetAnswer => ({
    status,
    body: { error: { code, message: 'It failed.', ...more } },
  });
  /** Without the value, which nobody can read again. */
  const shown = ({ value: _, ...others }: Variable) => others;

  function create({ body }: TargetRequest): TargetAnswer {
    const { key, value, type, target, comment } = body;
    if (typeof key !== 'string' || typeof value !== 'string' || !Array.isArray(target)) return fail(400, 'BAD_REQUEST');
    if (type === 'sensitive' && target.includes('development')) return fail(400, 'BAD_REQUEST');
    const isTaken = variables.some(
      one => one.key === key && !one.gitBranch && one.target.some(of => target.includes(of)),
    );
    // Vercel repeats the value in this error.
    if (isTaken) return fail(400, 'ENV_CONFLICT', { key, target, value });
    const variable = { id: `env_${nextId++}`, key, value, type, target, comment };
    variables.push(variable);
    return { status: 201, body: { created: shown(variable), failed: [] } };
  }

  const server = await startTarget((request: TargetRequest): TargetAnswer => {
    const { method, path, query, headers, body } = request;
    if (headers.authorization !== `Bearer ${token}`) return fail(403, 'forbidden', { invalidToken: true });
    const [, of, id] = /^\/v(?:9|10)\/projects\/([^/]+)\/env(?:\/([^/]+))?$/.exec(path) ?? [];
    if (of !== project || query.get('teamId') !== team) return fail(404, 'not_found');
    if (method === 'POST') return create(request);
    if (method === 'GET') {
      const start = Number(query.get('until') ?? 0);
      const next = start + 20 < variables.length ? start + 20 : null;
      return { status: 200, body: { envs: variables.slice(start, start + 20).map(shown), pagination: { next } } };
    }
    const index = variables.findIndex(one => one.id === id);
    const variable = variables[index];
    if (variable === undefined) return fail(404, 'ENV_NOT_FOUND');
    if (method === 'PATCH') Object.assign(variable, body);
    else variables.splice(index, 1);
    return { status: 200, body: method === 'PATCH' ? shown(variable) : [] };
  });
  return { server, token, team, variables, stop: server.stop };
}

export async function openVercel(): Promise<TargetWorld> {
  const { server, token, team, variables, stop } = await startVercel();
  const indexOf = (name: string) => variables.findIndex(({ key }) => key === name);
  return {
    server,
    to: 'web-shop:production',
    variables: { VERCEL_API_URL: server.url, VERCEL_TOKEN: token, VERCEL_ORG_ID: team },
    values: () => new Map(variables.map(({ key, value }) => [key, value])),
    set: (name, value) => {
      const [index, variable] = [indexOf(name), { key: name, value, type: 'encrypted', target: ['production'] }];
      variables.splice(index < 0 ? variables.length : index, 1, { id: `env_by_hand_${name}`, ...variable });
    },
    remove: name => {
      if (indexOf(name) >= 0) variables.splice(indexOf(name), 1);
    },
    stop,
  };
}
