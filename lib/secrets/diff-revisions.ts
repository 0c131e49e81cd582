import type { MemberContext } from '../access/request-context.ts';
import type { QueryOf } from '../contracts/contract.ts';
import type { diffRevisions as contract } from '../contracts/secrets/history.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import { putAlone } from '../table/write.ts';
import { environmentFacts } from './engine/read-environment.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { requireValues } from './engine/read-past.ts';
import { requireFitting } from './engine/secret-size.ts';

type Query = QueryOf<typeof contract>;

export function beginDiff(path: EnvironmentPath, { from, to }: Query): Promise<EnvironmentReads> {
  return beginRead(path, to === undefined ? [from] : [from, to]);
}

/**
 * The differences between two revisions. Values are returned only once their audit entry is written.
 * @throws revision_not_found; payload_too_large if the values don't fit in one response
 */
export async function diffRevisions(context: MemberContext, { from, to, values }: Query, begun: EnvironmentReads) {
  const { access } = context;
  access.requireValues(values);
  return readLive(context, begun, async ({ project, state, now, moments: [past = [], later], ring }) => {
    const before = byKey(past);
    const after = byKey(later ?? now);
    const open = (head: HeadRecord) => ring.open(state.id, head);
    const created = [...after.values()].filter(({ key }) => !before.has(key));
    const deleted = past.filter(({ key }) => !after.has(key));
    // For names only, whether a value has changed is not looked at.
    const rewritten = (access.seesValues ? past : []).flatMap(old => {
      const head = after.get(old.key);
      return head === undefined || head.version === old.version ? [] : [{ old, head }];
    });
    const compared = rewritten.flatMap(({ old, head }) => [old, head]);
    const shown = values ? [...created, ...deleted, ...compared] : compared;
    requireValues(shown);
    if (values) requireFitting(shown);
    const opened = await Promise.all(
      rewritten.map(async ({ old, head }) => {
        const isSameKind = (old.expands !== undefined) === (head.expands !== undefined);
        return { isSameKind, difference: { key: old.key, before: await open(old), after: await open(head) } };
      }),
    );
    // A key that has the same value again does not differ.
    const updated = opened
      .filter(({ isSameKind, difference: { before, after } }) => !isSameKind || before !== after)
      .map(({ difference }) => difference);
    const result = { from, to: to ?? state.revision };
    if (!values) {
      const keysOf = (secrets: readonly { key: string }[]) => secrets.map(({ key }) => ({ key }));
      return { ...result, created: keysOf(created), updated: keysOf(updated), deleted: keysOf(deleted) };
    }
    const [createdValues, deletedValues] = await Promise.all([
      Promise.all(created.map(async head => ({ key: head.key, after: await open(head) }))),
      Promise.all(deleted.map(async head => ({ key: head.key, before: await open(head) }))),
    ]);
    const entry = await context.audit({
      action: 'secret.history_read',
      ...environmentFacts(project, state, result.to),
      keys: [...created, ...updated, ...deleted].map(({ key }) => key),
      details: result,
    });
    await putAlone(entry);
    return { ...result, created: createdValues, updated, deleted: deletedValues };
  });
}

const byKey = (heads: readonly HeadRecord[]) => new Map(heads.map(head => [head.key, head]));
