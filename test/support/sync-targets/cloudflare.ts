import { startTarget, type TargetAnswer, type TargetRequest, type TargetWorld } from './target-server.ts';

/*
 * Secrets of a Cloudflare Worker (developers.cloudflare.com/api/resources/workers), with the bulk endpoint of June 2026: a
 * JSON merge patch of at most 100 changes.
 */

const [token, account, worker] = ['cloudflare-token', 'a1b2c3', 'web-shop'];

export async function startCloudflare({ hasBulk = true, pageSize = Number.POSITIVE_INFINITY } = {}) {
  const secrets = new Map<string, string>();
  const fail = (status: number, code: number): TargetAnswer => ({
    status,
    body: { success: false, errors: [{ code, message: 'It failed.' }], messages: [], result: null },
  });
  const succeed = (result: unknown, result_info?: object): TargetAnswer => ({
    status: 200,
    body: { success: true, errors: [], messages: [], result, result_info },
  });
  const server = await startTarget(({ method, path, query, headers, body }: TargetRequest): TargetAnswer => {
    if (headers.authorization !== `Bearer ${token}`) return fail(401, 10000);
    const base = `/accounts/${account}/workers/scripts/${worker}`;
    if (!path.startsWith(`${base}/`)) return fail(404, 10007);
    if (method === 'GET' && path === `${base}/secrets`) {
      const page = Number(query.get('page') ?? 1);
      const all = [...secrets.keys()].map(name => ({ name, type: 'secret_text' }));
      const items = pageSize < all.length ? all.slice((page - 1) * pageSize, page * pageSize) : all;
      return succeed(items, { page, total_pages: Math.ceil(all.length / pageSize), total_count: all.length });
    }
    if (method === 'PUT' && path === `${base}/secrets`) {
      secrets.set(body.name, body.text);
      return succeed({ name: body.name, type: body.type });
    }
    if (method === 'DELETE')
      return secrets.delete(path.slice(`${base}/secrets/`.length)) ? succeed(null) : fail(404, 10056);
    if (!hasBulk || method !== 'PATCH' || path !== `${base}/secrets-bulk`) return fail(404, 10405);
    if (headers['content-type'] !== 'application/merge-patch+json') return fail(415, 10001);
    const changes = Object.entries(body.secrets as Record<string, { name: string; type: string; text: string } | null>);
    const isWrong = changes.some(([name, one]) => one !== null && (one.name !== name || one.type !== 'secret_text'));
    if (changes.length > 100 || isWrong) return fail(400, 10021);
    for (const [name, change] of changes) {
      if (change === null) secrets.delete(name);
      else secrets.set(name, change.text);
    }
    return succeed([...secrets.keys()].map(name => ({ name, type: 'secret_text' })));
  });
  return { server, secrets, stop: server.stop };
}

export async function openCloudflare(options: Parameters<typeof startCloudflare>[0] = {}): Promise<TargetWorld> {
  const { server, secrets, stop } = await startCloudflare(options);
  return {
    server,
    to: 'web-shop',
    variables: {
      CLOUDFLARE_API_BASE_URL: server.url,
      CLOUDFLARE_API_TOKEN: token,
      CLOUDFLARE_ACCOUNT_ID: account,
    },
    values: () => new Map([...secrets].filter(([name]) => !name.startsWith('HF_'))),
    set: (name, value) => secrets.set(name, value),
    remove: name => secrets.delete(name),
    stop,
  };
}
