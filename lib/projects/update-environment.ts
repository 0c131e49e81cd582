import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { updateEnvironment as contract } from '../contracts/projects/environments.ts';
import type { Environment } from '../contracts/projects/projects.ts';
import { ApiError } from '../core/errors.ts';
import { asRead, equals } from '../table/expressions.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at } from '../table/read.ts';
import { environmentRecord, environmentStateRecord, isActiveEnvironment } from '../table/records/environment.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { environmentView, type FoundEnvironment, findEnvironment, requireFound } from './read-projects.ts';

/**
 * Changes the given fields; values that are already set add no audit entry. The type determines who may read the
 * secrets, so one transaction changes it in the description and the state.
 * @throws project_not_found, environment_not_found; forbidden if a member who is not an owner changes the type;
 * step_up_required if the type changes
 */
export async function updateEnvironment(
  context: MemberContext,
  { slug, env }: { slug: string; env: string },
  changes: BodyOf<typeof contract>,
  begun: FoundEnvironment | undefined,
): Promise<Environment> {
  const { access, organization } = context;
  const path: EnvironmentPath = { orgSlug: organization.slug, project: slug, env };
  const readAgain = () => findEnvironment(path);
  const known = begun?.orgSlug === organization.slug ? begun : await readAgain();
  return retryWithFreshRead(known, readAgain, async found => {
    const { environment: before, state } = requireFound(context, found);
    const { id } = before;
    const name = changes.name ?? before.name;
    const type = changes.type ?? before.type;
    const after = { ...before, name, type };
    if (type !== before.type && access.member.role !== 'owner') {
      throw new ApiError(
        'forbidden',
        'Only an owner may change the type of an environment: it decides who may read it.',
      );
    }
    context.requireFresh(type !== before.type);
    const details = changedFields(before, after, ['name', 'type']);
    if (details === undefined) return environmentView(before, state);
    const unchanged = { ...asRead(before, ['name', 'type']), ...isActiveEnvironment(id) };
    const stateType = update(
      at(environmentStateRecord, path),
      { set: { type } },
      { if: { id: equals(id), status: equals('active'), type: equals(before.type) } },
    );
    const audit = await context.audit({
      action: 'environment.updated',
      target: { type: 'environment', id, name: env },
      project: { id: before.projectId, slug },
      environment: { id, slug: env },
      details,
    });
    await transact([
      update(at(environmentRecord, organization.slug, slug, env), { set: { name, type } }, { if: unchanged }),
      // A rename does not touch the state, which every change of the secrets has to write.
      ...(type === before.type ? [] : [stateType]),
      audit,
    ]);
    return environmentView(after, state);
  });
}
