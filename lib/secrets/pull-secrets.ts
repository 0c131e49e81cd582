import { actorOf, auditWrite } from '../access/audit-write.ts';
import type { EndpointInput } from '../api/endpoint.ts';
import { revisionTag } from '../contracts/fields/preconditions.ts';
import type { pullSecrets as contract } from '../contracts/secrets.ts';
import { transact } from '../table/store.ts';
import type { ConditionalRead } from './begin-conditional-read.ts';
import { readLive } from './engine/read-live-secrets.ts';
import { pageOf } from './read-page.ts';

/** The secrets of an environment with their values, at one revision. No value leaves without its audit entry. */
export async function pullSecrets({
  access,
  source,
  log,
  query,
  fetched,
}: EndpointInput<typeof contract, ConditionalRead>) {
  if ('unchanged' in fetched) {
    const { revision } = access.requireEnvironment(fetched.unchanged, 'read');
    return { status: 304 as const, body: null, headers: { etag: revisionTag(revision) } };
  }
  return readLive(access, fetched.begun, log, async ({ project, state, live, ring }) => {
    const { revision } = state;
    const { shown, pagination } = pageOf(live, query);
    const isWhole = query.limit === undefined && query.search === undefined;
    const entry = auditWrite(access.organization, actorOf(access.principal), source, {
      action: 'secret.pulled',
      target: { type: 'project', id: project.id, name: project.slug },
      environment: { id: state.id, slug: state.slug },
      // The revision tells which keys a whole pull held; naming them would make every pull's entry several times larger.
      ...(isWhole ? {} : { keys: shown.map(({ key }) => key) }),
      revision,
    });
    const [secrets] = await Promise.all([
      Promise.all(
        shown.map(async head => {
          const { key, version, createdAt, updatedAt, updatedBy } = head;
          return { key, value: await ring.open(state.id, head), version, createdAt, updatedAt, updatedBy };
        }),
      ),
      entry.then(write => transact([write])),
    ]);
    const body = { secrets, revision, ...(pagination === undefined ? {} : { pagination }) };
    return { status: 200 as const, body, headers: { etag: revisionTag(revision) } };
  });
}
