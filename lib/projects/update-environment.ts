import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateEnvironment as contract } from '../contracts/projects/environments.ts';
import type { Environment } from '../contracts/projects/projects.ts';
import { ApiError } from '../core/errors.ts';
import { stateAt } from '../secrets/engine/fencing.ts';
import { asRead, equals, isActive } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { requireMayLowerApprovals } from './lower-approvals.ts';
import { environmentView, type FoundEnvironment, findEnvironment, requireFound } from './read-projects.ts';

/**
 * Changes the given fields; values that are already set add no audit entry. The type determines who may read the
 * secrets, so one transaction changes it in the description and the state. The commit of every change requires the
 * number of approvals that it was decided on.
 * @throws project_not_found, environment_not_found; forbidden if a member who is not an owner changes the type or lowers
 * the approvals, insufficient_scope for a token that lowers them; step_up_required if either changes
 */
export async function updateEnvironment(
  context: MemberContext,
  { slug, env }: { slug: string; env: string },
  changes: BodyOf<typeof contract>,
  begun: FoundEnvironment | undefined,
): Promise<Environment> {
  const { access, organization } = context;
  const path = { orgSlug: organization.slug, project: slug, env };
  const readAgain = () => findEnvironment(path);
  const firstRead = begun?.orgSlug === organization.slug ? begun : await readAgain();
  return retryWithFreshRead(firstRead, readAgain, async reads => {
    const { environment: current, state } = requireFound(context, reads);
    const { id } = current;
    const earlier = { name: current.name, type: current.type, approvals: state.approvals ?? 0 };
    const { name = earlier.name, type = earlier.type, approvals = earlier.approvals } = changes;
    const changesType = type !== current.type;
    const changesApprovals = approvals !== earlier.approvals;
    if (changesType && access.projectRole !== 'owner') {
      const message = 'Only an owner may change the type of an environment: it decides who may read it.';
      throw new ApiError('forbidden', message);
    }
    if (approvals < earlier.approvals) requireMayLowerApprovals(context);
    context.requireFresh(changesType || changesApprovals);
    const details = changedFields(earlier, { name, type, approvals }, ['name', 'type', 'approvals']);
    if (details === undefined) return environmentView(current, state);
    const audit = await context.audit({
      action: 'environment.updated',
      target: { type: 'environment', id, name: env },
      project: { id: current.projectId, slug },
      environment: { id, slug: env },
      details,
    });
    const description = at(environmentRecord, organization.slug, slug, env);
    const isSame = { ...asRead(current, ['name', 'type']), ...isActive(id) };
    const isSameState = { ...isActive(id), type: equals(current.type), ...asRead(state, ['approvals']) };
    const set = { type, approvals: approvals === 0 ? undefined : approvals };
    await transact([
      update(description, { set: { name, type } }, { if: isSame }),
      // A rename does not touch the state, which every change of the secrets has to write.
      ...(changesType || changesApprovals ? [update(stateAt(path), { set }, { if: isSameState })] : []),
      audit,
    ]);
    return environmentView({ ...current, name, type }, { ...state, ...set });
  });
}
