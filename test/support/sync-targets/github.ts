import sodium from 'libsodium-wrappers';
import { startTarget, type TargetAnswer, type TargetRequest, type TargetWorld } from './target-server.ts';

/*
 * Actions secrets and variables of GitHub (docs.github.com/rest/actions/secrets and /variables). Values are opened with
 * libsodium, as GitHub does.
 */

interface Secret {
  value: string;
  visibility?: string;
  repositories?: number[];
}

interface Scope {
  secrets: Map<string, Secret>;
  variables: Map<string, { value: string; visibility?: string; repositories?: number[] }>;
}

export async function startGitHub({ token = 'github-token' } = {}) {
  await sodium.ready;
  const keys = sodium.crypto_box_keypair();
  const publicKey = { key_id: '568250167242549743', key: Buffer.from(keys.publicKey).toString('base64') };
  /** By path: of a repository, an environment or an organization. */
  const scopes = new Map<string, Scope>();
  const scopeOf = (path: string): Scope => {
    const scope = scopes.get(path) ?? { secrets: new Map(), variables: new Map() };
    scopes.set(path, scope);
    return scope;
  };
  const open = (encrypted: string): string =>
    Buffer.from(
      sodium.crypto_box_seal_open(Buffer.from(encrypted, 'base64'), keys.publicKey, keys.privateKey),
    ).toString();

  function page<T>({ query }: TargetRequest, member: string, all: T[], most: number): TargetAnswer {
    const size = Math.min(Number(query.get('per_page') ?? 30), most);
    const start = (Number(query.get('page') ?? 1) - 1) * size;
    return { status: 200, body: { total_count: all.length, [member]: all.slice(start, start + size) } };
  }

  function ofSecrets(
    request: TargetRequest,
    { secrets }: Scope,
    name: string,
    rest: string,
    isOrg: boolean,
  ): TargetAnswer {
    const { method, body } = request;
    if (name === '') {
      const all = [...secrets].map(([secret, { visibility }]) => ({
        name: secret,
        created_at: '2026-01-31T09:26:53Z',
        updated_at: '2026-01-31T09:26:53Z',
        ...(isOrg ? { visibility } : {}),
      }));
      return page(request, 'secrets', all, 100);
    }
    if (name === 'public-key') return { status: 200, body: publicKey };
    if (rest === 'repositories') {
      return page(
        request,
        'repositories',
        (secrets.get(name)?.repositories ?? []).map(id => ({ id })),
        100,
      );
    }
    if (method === 'DELETE') return { status: secrets.delete(name) ? 204 : 404 };
    if (!/^[A-Z_][A-Z0-9_]*$/i.test(name) || name.startsWith('GITHUB_') || body.key_id !== publicKey.key_id) {
      return { status: 422, body: { message: 'Validation Failed' } };
    }
    if (isOrg && body.visibility === undefined) return { status: 422, body: { message: 'visibility is required' } };
    const isNew = !secrets.has(name.toUpperCase());
    if (isNew && secrets.size >= (isOrg ? 1000 : 100)) return { status: 422, body: { message: 'Validation Failed' } };
    const { visibility, selected_repository_ids: repositories } = body;
    secrets.set(name.toUpperCase(), { value: open(body.encrypted_value), visibility, repositories });
    return { status: isNew ? 201 : 204, ...(isNew ? { body: {} } : {}) };
  }

  function ofVariables(request: TargetRequest, { variables }: Scope, name: string): TargetAnswer {
    const { method, body } = request;
    if (method === 'GET') {
      return page(
        request,
        'variables',
        [...variables].map(([variable, { value }]) => ({ name: variable, value })),
        30,
      );
    }
    if (method === 'POST') {
      if (variables.has(body.name)) return { status: 409, body: { message: 'Variable already exists' } };
      const { value, visibility, selected_repository_ids: repositories } = body;
      variables.set(body.name, { value, visibility, repositories });
      return { status: 201, body: {} };
    }
    const variable = variables.get(name);
    if (variable === undefined) return { status: 404 };
    variable.value = body.value;
    return { status: 204 };
  }

  const server = await startTarget(request => {
    const { headers, path } = request;
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { message: 'Bad credentials' } };
    if (headers['user-agent'] === undefined) return { status: 403, body: { message: 'User-Agent is required' } };
    const [, base = '', kind, name = '', rest = ''] =
      /^(\/(?:repos\/[^/]+\/[^/]+\/(?:actions|environments\/[^/]+)|orgs\/[^/]+\/actions))\/(secrets|variables)(?:\/([^/]+)(?:\/(.+))?)?$/.exec(
        path,
      ) ?? [];
    if (base === '') return { status: 404, body: { message: 'Not Found' } };
    const isOrg = base.startsWith('/orgs/');
    return kind === 'secrets'
      ? ofSecrets(request, scopeOf(base), name, rest, isOrg)
      : ofVariables(request, scopeOf(base), name);
  });
  return { server, token, scopeOf, stop: server.stop };
}

export async function openGitHub(): Promise<TargetWorld> {
  const gitHub = await startGitHub();
  const { secrets } = gitHub.scopeOf('/repos/acme/web-shop/actions');
  return {
    server: gitHub.server,
    to: 'acme/web-shop',
    variables: { GITHUB_API_URL: gitHub.server.url, GITHUB_TOKEN: gitHub.token },
    values: () => new Map([...secrets].map(([name, { value }]) => [name, value])),
    set: (name, value) => secrets.set(name, { value }),
    remove: name => secrets.delete(name),
    stop: gitHub.stop,
  };
}
