import { json, pullBody, type ReceivedRequest, type Respond, refusal } from './scripted-server.ts';

interface Change {
  revision: number;
  action: string;
  message: string | null;
  created: string[];
  updated: string[];
  deleted: string[];
  restored?: number;
  from?: { slug: string; revision: number };
}

interface State {
  /** The values at each revision; the last one is the current one. */
  history: Map<string, string>[];
  changes: Change[];
  /** How often each key was changed. */
  versions: Map<string, number>;
}

interface Decision {
  wanted: Map<string, string>;
  action: string;
  skipped?: string[];
  /** Keys that the request set to what they were already. */
  same?: string[];
  origin?: Pick<Change, 'from' | 'restored'>;
  answer: (change: Change, unchanged: string[]) => unknown;
}

const author = { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' };
const at = '2026-01-31T09:26:53.589Z';

/**
 * The secrets of one project as the contract of revisions says, in memory: what a client can be held against while it
 * is built. It knows no rights, no limits and no audit.
 */
export function contractService() {
  const environments = new Map<string, State>();
  const stateOf = (slug: string): State => {
    const known = environments.get(slug) ?? { history: [new Map()], changes: [], versions: new Map() };
    environments.set(slug, known);
    return known;
  };
  const revisionOf = (state: State) => state.history.length - 1;
  const valuesAt = (state: State, revision = revisionOf(state)) => state.history[revision];
  const current = (state: State) => valuesAt(state) as Map<string, string>;

  function decide(operation: string, request: ReceivedRequest, target: State): Decision | Respond {
    const { body } = request;
    const wanted = new Map(current(target));
    const same: string[] = [];
    const set = (key: string, value: string) => {
      if (wanted.get(key) === value) same.push(key);
      wanted.set(key, value);
    };
    if (operation === 'set') {
      set(body.key, body.value);
      const secret = { key: body.key, version: 1, createdAt: at, updatedAt: at, updatedBy: author };
      return {
        wanted,
        same,
        action: 'secret.set',
        answer: ({ revision }, unchanged) => ({ secret, changed: unchanged.length === 0, revision }),
      };
    }
    if (operation === 'bulk') {
      const dotenv = String(body.dotenv ?? '')
        .split('\n')
        .filter(Boolean)
        .map(line => line.split('='));
      for (const [key = '', value = ''] of dotenv) set(key, value);
      for (const { key, value } of body.secrets ?? []) set(key, value);
      return {
        wanted,
        same,
        action: 'secret.imported',
        answer: ({ created, updated, revision }, unchanged) => ({ created, updated, unchanged, revision }),
      };
    }
    if (operation === 'bulk-delete') {
      const skipped = body.keys.filter((key: string) => !wanted.delete(key));
      return {
        wanted,
        skipped,
        action: 'secret.bulk_deleted',
        answer: ({ deleted, revision }) => ({ deleted, notFound: skipped, revision }),
      };
    }
    if (operation === 'delete') {
      const key = decodeURIComponent(request.path.split('/').at(-1) ?? '');
      if (!wanted.delete(key)) return refusal(404, 'secret_not_found');
      return { wanted, action: 'secret.deleted', answer: ({ revision }) => ({ success: true, revision }) };
    }
    if (operation === 'changes') {
      if ((body.set ?? []).length + (body.delete ?? []).length === 0) {
        return refusal(400, 'invalid_request', [{ path: '', message: 'must set or delete something' }]);
      }
      for (const key of body.delete ?? []) if (!wanted.delete(key)) return refusal(404, 'secret_not_found');
      for (const { key, value } of body.set ?? []) set(key, value);
      return {
        wanted,
        same,
        action: 'secret.changed',
        answer: ({ created, updated, deleted, revision }, unchanged) => {
          return { created, updated, unchanged, deleted, revision };
        },
      };
    }
    if (operation === 'restore') {
      const past = valuesAt(target, body.revision);
      if (past === undefined) return refusal(404, 'revision_not_found');
      const keys: string[] = body.keys ?? [...new Set([...wanted.keys(), ...past.keys()])];
      for (const key of keys) {
        const value = past.get(key);
        if (value === undefined) wanted.delete(key);
        else set(key, value);
      }
      return {
        wanted,
        same,
        action: 'secret.restored',
        origin: { restored: body.revision },
        answer: ({ created, updated, deleted, revision }, unchanged) => {
          return { created, updated, deleted, unchanged, restored: body.revision, revision };
        },
      };
    }
    const source = stateOf(body.from);
    const skipped: string[] = [];
    for (const [key, value] of current(source)) {
      if (body.keys !== undefined && !body.keys.includes(key)) continue;
      if (body.overwrite === false && wanted.has(key)) skipped.push(key);
      else set(key, value);
    }
    return {
      wanted,
      same,
      skipped,
      action: 'secret.promoted',
      origin: { from: { slug: body.from, revision: revisionOf(source) } },
      answer: ({ created, updated, revision }, unchanged) => {
        return { promoted: [...created, ...updated].toSorted(), skipped, unchanged, revision };
      },
    };
  }

  function write(operation: string, request: ReceivedRequest, target: State): Respond {
    const { headers, query, body } = request;
    const revision = revisionOf(target);
    const match = headers['if-match'];
    if (match !== undefined && match !== `"${revision}"`) {
      return refusal(412, 'revision_mismatch', { currentRevision: revision });
    }
    const version = current(target).has(body?.key) ? target.versions.get(body.key) : 0;
    if (body?.expectedVersion !== undefined && body.expectedVersion !== version) {
      return refusal(412, 'version_mismatch', { currentVersion: version });
    }
    const decision = decide(operation, request, target);
    if (typeof decision === 'function') return decision;
    const before = current(target);
    const { wanted, skipped = [], same = [], action, answer, origin } = decision;
    const keys = [...new Set([...before.keys(), ...wanted.keys()])].toSorted();
    const change: Change = {
      revision,
      action,
      message: body?.message ?? query.get('message'),
      created: keys.filter(key => !before.has(key)),
      updated: keys.filter(key => before.has(key) && wanted.has(key) && before.get(key) !== wanted.get(key)),
      deleted: keys.filter(key => !wanted.has(key)),
      ...origin,
    };
    const { created, updated, deleted } = change;
    const unchanged = same.toSorted();
    if (query.get('dryRun') === 'true') {
      return json(200, { dryRun: true, plan: { created, updated, unchanged, deleted, skipped }, revision });
    }
    if (created.length + updated.length + deleted.length > 0) {
      change.revision += 1;
      target.history.push(wanted);
      target.changes.push(change);
      for (const key of [...created, ...updated, ...deleted]) {
        target.versions.set(key, (target.versions.get(key) ?? 0) + 1);
      }
    }
    return json(200, answer(change, unchanged));
  }

  function read(operation: string, { query, headers }: ReceivedRequest, state: State): Respond {
    const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
    const withValues = query.get('values') === 'true';
    const shown = (name: string, value: string | undefined) => (withValues ? { [name]: value } : {});
    if (operation === 'pull' || operation === 'keys') {
      const revision = number('revision') ?? revisionOf(state);
      const values = valuesAt(state, revision);
      if (values === undefined) return refusal(404, 'revision_not_found');
      const names = query.get('keys')?.split(',');
      if (names?.some(name => !values.has(name))) return refusal(404, 'secret_not_found');
      const etag = `"${revision}"`;
      if (!query.has('revision') && headers['if-none-match'] === etag) return json(304, undefined, { etag });
      const chosen = [...values].filter(([key]) => names?.includes(key) ?? true).toSorted();
      const { secrets } = pullBody(revision, Object.fromEntries(chosen));
      if (operation === 'pull') return json(200, { secrets, revision }, query.has('revision') ? {} : { etag });
      return json(200, { keys: secrets.map(({ value: _, ...secret }) => secret), revision }, { etag });
    }
    if (operation === 'revisions') {
      const before = number('before') ?? Number.POSITIVE_INFINITY;
      const limit = number('limit') ?? 20;
      const older = state.changes.filter(({ revision }) => revision < before).toReversed();
      const page = older.slice(0, limit).map(change => ({ ...change, createdAt: at, createdBy: author }));
      return json(200, { revisions: page, next: older.length > limit ? (page.at(-1)?.revision ?? null) : null });
    }
    if (operation === 'diff') {
      const from = number('from') ?? 0;
      const to = number('to') ?? revisionOf(state);
      const before = valuesAt(state, from);
      const after = valuesAt(state, to);
      if (before === undefined || after === undefined) return refusal(404, 'revision_not_found');
      const keys = [...new Set([...before.keys(), ...after.keys()])].toSorted();
      return json(200, {
        from,
        to,
        created: keys.filter(key => !before.has(key)).map(key => ({ key, ...shown('after', after.get(key)) })),
        updated: keys
          .filter(key => before.has(key) && after.has(key) && before.get(key) !== after.get(key))
          .map(key => ({ key, ...shown('before', before.get(key)), ...shown('after', after.get(key)) })),
        deleted: keys.filter(key => !after.has(key)).map(key => ({ key, ...shown('before', before.get(key)) })),
      });
    }
    const with_ = query.get('with') ?? '';
    const other = stateOf(with_);
    const left = current(state);
    const right = current(other);
    const both = [...left.keys()].filter(key => right.has(key)).toSorted();
    return json(200, {
      from: { slug: 'dev', revision: revisionOf(state) },
      to: { slug: with_, revision: revisionOf(other) },
      onlyFrom: [...left.keys()].filter(key => !right.has(key)).map(key => ({ key, ...shown('from', left.get(key)) })),
      onlyTo: [...right.keys()].filter(key => !left.has(key)).map(key => ({ key, ...shown('to', right.get(key)) })),
      different: both
        .filter(key => left.get(key) !== right.get(key))
        .map(key => ({ key, ...shown('from', left.get(key)), ...shown('to', right.get(key)) })),
      same: both.filter(key => left.get(key) === right.get(key)),
    });
  }

  const respond: Respond = (request, response) => {
    const [, , , , , place = '', last] = request.path.split('/');
    const { method } = request;
    if (place === 'promote') return write('promote', request, stateOf(request.body.to))(request, response);
    const state = stateOf(place);
    if (method === 'GET') return read(last ?? 'pull', request, state)(request, response);
    const operation = method === 'PUT' ? 'set' : method === 'DELETE' ? 'delete' : (last ?? '');
    return write(operation, request, state)(request, response);
  };
  return { respond, values: (slug: string) => Object.fromEntries(current(stateOf(slug))) };
}
