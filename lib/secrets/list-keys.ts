import type { EndpointInput } from '../api/endpoint.ts';
import { revisionTag } from '../contracts/fields/preconditions.ts';
import type { listKeys as contract } from '../contracts/secrets.ts';
import type { ConditionalRead } from './begin-conditional-read.ts';
import { readLive } from './engine/read-live-secrets.ts';
import { pageOf } from './read-page.ts';

/** The keys of an environment at one revision. Nothing is decrypted, so nothing is audited. */
export async function listKeys({ access, log, query, fetched }: EndpointInput<typeof contract, ConditionalRead>) {
  if ('unchanged' in fetched) {
    const { revision } = access.requireEnvironment(fetched.unchanged, 'read');
    return { status: 304 as const, body: null, headers: { etag: revisionTag(revision) } };
  }
  return readLive(access, fetched.begun, log, async ({ state: { revision }, live }) => {
    const { shown, pagination } = pageOf(live, query);
    const keys = shown.map(({ key, version, createdAt, updatedAt, updatedBy }) => {
      return { key, version, createdAt, updatedAt, updatedBy };
    });
    const body = { keys, revision, ...(pagination === undefined ? {} : { pagination }) };
    return { status: 200 as const, body, headers: { etag: revisionTag(revision) } };
  });
}
