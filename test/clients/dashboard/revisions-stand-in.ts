import type { BrowserContext, Request, Route } from 'playwright-core';
import { routes } from '../../../lib/contracts/routes.ts';

/*
 * Answers the operations of revisions out of operations that the service has, with the caller's own session: roles,
 * preconditions and audit entries are the service's. It steps aside for each operation that the service has itself.
 * A change that both sets and deletes is two revisions here.
 */

// biome-ignore lint/suspicious/noExplicitAny: any answer of the service
type Json = any;

const place = /^\/v1\/secrets\/([^/]+)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

function serves(method: string, path: string): boolean {
  return routes.some(
    route =>
      route.method === method &&
      new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path) &&
      !(method === 'DELETE' && /\/(?:changes|restore)$/.test(path)),
  );
}

/** @param owner a cookie that may read everything, for what has to be compared */
export async function standInForRevisions(context: BrowserContext, origin: string, owner: string): Promise<void> {
  const hasRevisions = serves('GET', '/v1/secrets/o/p/e/revisions');
  if (hasRevisions) return;
  const ask = async (method: string, path: string, request: Request | string, body?: unknown) => {
    const headers = typeof request === 'string' ? { cookie: request } : await request.allHeaders();
    const answer = await fetch(origin + path, {
      method,
      headers: {
        cookie: headers.cookie ?? '',
        'x-requested-with': 'service',
        ...('if-match' in headers ? { 'if-match': headers['if-match'] as string } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const valuesOf = async (path: string): Promise<Map<string, string>> => {
    const { body } = await ask('GET', path, owner);
    return new Map(body.secrets.map((secret: Json) => [secret.key, secret.value]));
  };
  const compareWith = (now: Map<string, string>, wanted: Map<string, string | undefined>) => {
    const plan = {
      created: [] as string[],
      updated: [] as string[],
      unchanged: [] as string[],
      deleted: [] as string[],
      skipped: [] as string[],
    };
    for (const [key, value] of [...wanted].toSorted()) {
      if (value === undefined) plan.deleted.push(key);
      else if (!now.has(key)) plan.created.push(key);
      else if (now.get(key) === value) plan.unchanged.push(key);
      else plan.updated.push(key);
    }
    return plan;
  };
  const revisionOf = async (path: string): Promise<number> => (await ask('GET', `${path}/keys`, owner)).body.revision;
  const mismatch = async (request: Request, path: string) => {
    const wanted = (await request.allHeaders())['if-match'];
    const currentRevision = await revisionOf(path);
    return wanted === undefined || wanted === `"${currentRevision}"`
      ? undefined
      : {
          status: 412,
          body: {
            error: {
              code: 'revision_mismatch',
              message: 'The environment is at another revision.',
              requestId: 'stand-in',
              details: { currentRevision },
            },
          },
        };
  };
  /** Sets and deletes; the answer of the first refusal, or what changed. */
  const change = async (
    request: Request,
    path: string,
    plan: ReturnType<typeof compareWith>,
    wanted: Map<string, string | undefined>,
  ) => {
    const secrets = [...wanted].filter(([, value]) => value !== undefined).map(([key, value]) => ({ key, value }));
    let revision = 0;
    if (secrets.length > 0) {
      const set = await ask('POST', `${path}/bulk`, request, { secrets });
      if (set.status !== 200) return set;
      revision = set.body.revision;
    }
    if (plan.deleted.length > 0) {
      const gone = secrets.length > 0 ? owner : request;
      const [only = ''] = plan.deleted;
      const answer =
        plan.deleted.length === 1
          ? await ask('DELETE', `${path}/${only}`, gone)
          : await ask('POST', `${path}/bulk-delete`, gone, { keys: plan.deleted });
      if (answer.status !== 200) return answer;
      revision = answer.body.revision;
    }
    return { status: 200, body: { ...plan, revision } };
  };
  const historyOf = async (path: string, keys: Iterable<string>) => {
    const histories = new Map<string, Json[]>();
    for (const key of keys) {
      const { body } = await ask('GET', `${path}/versions/${key}?values=true`, owner);
      histories.set(key, body.versions);
    }
    return histories;
  };
  const every = new Map<string, Set<string>>();
  const answer = async (request: Request): Promise<{ status: number; body: Json } | undefined> => {
    const url = new URL(request.url());
    const method = request.method();
    const found = place.exec(url.pathname);
    if (found === null) return undefined;
    const [, org = '', project = '', third = '', last] = found;
    const body: Json = request.postData() === null ? undefined : JSON.parse(request.postData() as string);
    const dryRun = url.searchParams.get('dryRun') === 'true';
    const base = `/v1/secrets/${org}/${project}`;
    const path = `${base}/${third}`;
    if (method === 'GET' && last === undefined && url.searchParams.has('keys')) {
      const key = url.searchParams.get('keys') ?? '';
      const pulled = await ask('GET', `${path}?search=${encodeURIComponent(key)}&limit=1`, request);
      return pulled;
    }
    if (method === 'POST' && third === 'promote') {
      const target = `${base}/${body.to}`;
      const refused = await mismatch(request, target);
      if (refused !== undefined) return refused;
      if (!dryRun) return undefined;
      const [from, to] = await Promise.all([valuesOf(`${base}/${body.from}`), valuesOf(target)]);
      const plan = compareWith(to, from);
      if (body.overwrite === false) {
        plan.skipped = [...plan.updated, ...plan.unchanged].toSorted();
        plan.updated = [];
        plan.unchanged = [];
      }
      return { status: 200, body: { dryRun: true, plan, revision: await revisionOf(target) } };
    }
    const signedIn = await ask('GET', '/v1/auth/me', request);
    if (signedIn.status !== 200) return signedIn;
    const known = every.get(path) ?? new Set<string>();
    every.set(path, known);
    if (method === 'POST' && last === 'changes') {
      const refused = await mismatch(request, path);
      if (refused !== undefined) return refused;
      const wanted = new Map<string, string | undefined>([
        ...(body.set ?? []).map((secret: Json) => [secret.key, secret.value] as const),
        ...(body.delete ?? []).map((key: string) => [key, undefined] as const),
      ]);
      const plan = compareWith(await valuesOf(path), wanted);
      if (dryRun) return { status: 200, body: { dryRun: true, plan, revision: await revisionOf(path) } };
      return change(request, path, plan, wanted);
    }
    if (last !== 'revisions' && last !== 'diff' && last !== 'compare' && last !== 'restore') return undefined;
    const allowed = await ask('GET', `${path}/keys`, request);
    if (allowed.status !== 200) return allowed;
    for (const { key } of allowed.body.keys) known.add(key);
    if (last === 'compare') {
      const other = url.searchParams.get('with') ?? '';
      const [from, to] = await Promise.all([valuesOf(path), valuesOf(`${base}/${other}`)]);
      const shown = url.searchParams.get('values') === 'true';
      const pick = (key: string) => ({ key, ...(shown ? { from: from.get(key), to: to.get(key) } : {}) });
      return {
        status: 200,
        body: {
          from: { slug: third, revision: allowed.body.revision },
          to: { slug: other, revision: await revisionOf(`${base}/${other}`) },
          onlyFrom: [...from.keys()].filter(key => !to.has(key)).map(pick),
          onlyTo: [...to.keys()].filter(key => !from.has(key)).map(pick),
          different: [...from.keys()].filter(key => to.has(key) && from.get(key) !== to.get(key)).map(pick),
          same: [...from.keys()].filter(key => from.get(key) === to.get(key)),
        },
      };
    }
    const histories = await historyOf(path, known);
    const at = (revision: number) => {
      const values = new Map<string, string>();
      for (const [key, versions] of histories) {
        const version = versions.find((one: Json) => one.revision <= revision);
        if (version !== undefined && !version.deleted) values.set(key, version.value);
      }
      return values;
    };
    if (last === 'diff') {
      const from = Number(url.searchParams.get('from'));
      const to = Number(url.searchParams.get('to') ?? allowed.body.revision);
      const [before, after] = [at(from), at(to)];
      const shown = url.searchParams.get('values') === 'true';
      const line = (key: string) => ({ key, ...(shown ? { before: before.get(key), after: after.get(key) } : {}) });
      const keys = [...histories.keys()];
      return {
        status: 200,
        body: {
          from,
          to,
          created: keys.filter(key => !before.has(key) && after.has(key)).map(line),
          updated: keys
            .filter(key => before.has(key) && after.has(key) && before.get(key) !== after.get(key))
            .map(line),
          deleted: keys.filter(key => before.has(key) && !after.has(key)).map(line),
        },
      };
    }
    if (last === 'restore') {
      const refused = await mismatch(request, path);
      if (refused !== undefined) return refused;
      const [now, past] = [at(allowed.body.revision), at(body.revision)];
      const wanted = new Map<string, string | undefined>([
        ...past,
        ...[...now.keys()].filter(key => !past.has(key)).map(key => [key, undefined] as const),
      ]);
      const plan = compareWith(now, wanted);
      if (dryRun) return { status: 200, body: { dryRun: true, plan, revision: allowed.body.revision } };
      for (const key of plan.unchanged) wanted.delete(key);
      return change(request, path, plan, wanted);
    }
    const byRevision = new Map<number, Json>();
    for (const [key, versions] of histories)
      for (const [index, version] of versions.entries()) {
        const entry = byRevision.get(version.revision) ?? {
          revision: version.revision,
          action: 'secret.changed',
          message: null,
          createdAt: version.createdAt,
          createdBy: version.createdBy,
          created: [],
          updated: [],
          deleted: [],
        };
        const older = versions[index + 1];
        (version.deleted ? entry.deleted : older === undefined || older.deleted ? entry.created : entry.updated).push(
          key,
        );
        byRevision.set(version.revision, entry);
      }
    return {
      status: 200,
      body: { revisions: [...byRevision.values()].toSorted((a, b) => b.revision - a.revision), next: null },
    };
  };
  await context.route('**/v1/secrets/**', async (route: Route) => {
    const answered = await answer(route.request()).catch((error: unknown) => ({
      status: 503,
      body: { error: { code: 'temporarily_unavailable', message: String(error), requestId: 'stand-in' } },
    }));
    if (answered === undefined) await route.fallback();
    else
      await route.fulfill({
        status: answered.status,
        contentType: 'application/json',
        body: JSON.stringify(answered.body),
      });
  });
}
