import type { MemberContext } from '../access/request-context.ts';
import { keysUnlessAll } from '../audit/keys-that-fit.ts';
import type { StoredValue } from '../contracts/fields/references.ts';
import { ApiError } from '../core/errors.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { transact } from '../table/write.ts';
import { openStored } from './engine/open-values.ts';
import { environmentFacts } from './engine/read-environment.ts';
import { beginRead, type EnvironmentReads, type LiveSecrets, readLive } from './engine/read-live-secrets.ts';
import { requireFitting } from './engine/secret-size.ts';

export async function beginComparison(path: EnvironmentPath, other: string) {
  const [from, to] = await Promise.all([beginRead(path), beginRead({ ...path, env: other })]);
  return { from, to };
}

interface Side extends Pick<LiveSecrets, 'project' | 'state' | 'live'> {
  /** Each without its value if the caller may only see names. */
  values: ReadonlyMap<string, StoredValue | undefined>;
}

/**
 * The differences between two environments of a project. Even without values, the response reveals which are equal, so
 * it requires read access to both and writes an audit entry for each.
 * @throws invalid_request for the same environment twice; payload_too_large if the values don't fit in one response;
 * and what `readLive` throws
 */
export async function compareEnvironments(
  context: MemberContext,
  { values }: { values: boolean },
  begun: Awaited<ReturnType<typeof beginComparison>>,
) {
  const { access } = context;
  access.requireValues(values);
  const [from, to] = await Promise.all([openSide(context, begun.from), openSide(context, begun.to)]);
  if (from.state.id === to.state.id) {
    const details = [{ path: 'with', message: 'must be a different environment' }];
    throw new ApiError('invalid_request', 'An environment can only be compared with a different one.', { details });
  }
  const isSame = (key: string) => isSameValue(from.values.get(key), to.values.get(key));
  // Checked before the audit entries are written: a rejected comparison leaves none.
  if (values) requireFitting([...from.live, ...to.live].filter(({ key }) => !isSame(key)));
  const shown = (name: 'from' | 'to', side: Side, key: string) =>
    values ? { [name]: side.values.get(key)?.value } : {};
  const keys = [...new Set([...from.values.keys(), ...to.values.keys()])].toSorted();
  const compared = access.seesValues ? keys : [];
  const both = compared.filter(key => from.values.has(key) && to.values.has(key));
  const different = both.filter(key => !isSame(key));
  // Without values, nothing is learned about a key that only one side has.
  const audit = (side: Side, other: Side) =>
    auditOf(context, side, other, { keys: values ? [...side.values.keys()] : both, values });
  await transact(await Promise.all([audit(from, to), audit(to, from)]));
  return {
    from: { slug: from.state.slug, revision: from.state.revision },
    to: { slug: to.state.slug, revision: to.state.revision },
    onlyFrom: keys.filter(key => !to.values.has(key)).map(key => ({ key, ...shown('from', from, key) })),
    onlyTo: keys.filter(key => !from.values.has(key)).map(key => ({ key, ...shown('to', to, key) })),
    different: different.map(key => ({ key, ...shown('from', from, key), ...shown('to', to, key) })),
    same: both.filter(isSame),
  };
}

const isSameValue = (one: StoredValue | undefined, other: StoredValue | undefined) =>
  one?.value === other?.value && one?.expand === other?.expand;

function openSide(context: MemberContext, begun: EnvironmentReads): Promise<Side> {
  return readLive(context, begun, async ({ project, state, live, ring }) => {
    const names = () => new Map(live.map(({ key }) => [key, undefined]));
    const values = context.access.seesValues ? await openStored(state.id, live, ring) : names();
    return { project, state, live, values };
  });
}

function auditOf(
  context: MemberContext,
  { project, state, live }: Side,
  { state: other }: Side,
  { keys, values }: { keys: readonly string[]; values: boolean },
) {
  return context.audit({
    action: 'secret.compared',
    ...environmentFacts(project, state),
    ...keysUnlessAll(keys, live.length),
    details: { with: other.slug, values },
  });
}
