import type { MemberContext } from '../access/request-context.ts';
import { type DescribedRead, describedKeys } from './describe-keys.ts';
import { type EnvironmentReads, type LiveSecrets, readLive } from './engine/read-live-secrets.ts';
import { type PageQuery, pageOf } from './read-page.ts';

/** The keys of an environment at one revision. Nothing is decrypted, so nothing is audited. */
export async function listKeys(context: MemberContext, query: PageQuery, begun: DescribedRead<EnvironmentReads>) {
  if ('unchanged' in begun) return { notModified: context.access.requireEnvironment(begun.unchanged, 'read').revision };
  const answer = async ({ project, state, revision, live }: LiveSecrets) => {
    const { shown, pagination } = pageOf(live, query);
    const summaries = shown.map(({ key, version, createdAt, updatedAt, updatedBy, expands }) => {
      const expand = expands === undefined ? {} : { expand: true as const };
      return { key, ...expand, version, createdAt, updatedAt, updatedBy };
    });
    const keys = describedKeys(summaries, begun, { projectId: project.id, environmentId: state.id });
    return { keys, revision, ...(pagination === undefined ? {} : { pagination }) };
  };
  return readLive(context, begun.reads, answer, { opensValues: false });
}
