import type { MemberContext } from '../access/request-context.ts';
import { transact } from '../table/store.ts';
import type { ConditionalRead } from './begin-conditional-read.ts';
import { readLive } from './engine/read-live-secrets.ts';
import { type PageWanted, pageOf } from './read-page.ts';

/** The secrets of an environment with their values, at one revision. No value leaves without its audit entry. */
export async function pullSecrets(context: MemberContext, query: PageWanted, begun: ConditionalRead) {
  if ('unchanged' in begun) return { notModified: context.access.requireEnvironment(begun.unchanged, 'read').revision };
  return readLive(context, begun.begun, async ({ project, state, revision, live, ring }) => {
    const { shown, pagination } = pageOf(live, query);
    const isWhole = query.limit === undefined && query.search === undefined;
    const entry = context.audit({
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
    return { secrets, revision, ...(pagination === undefined ? {} : { pagination }) };
  });
}
