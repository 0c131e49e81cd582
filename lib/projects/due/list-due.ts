import type { MemberContext } from '../../access/request-context.ts';
import type { QueryOf } from '../../contracts/contract.ts';
import type { Pagination } from '../../contracts/fields/query.ts';
import type { listDue as contract, Due } from '../../contracts/projects/due.ts';
import { projectNotFound } from '../../core/errors.ts';
import { dayMs } from '../../core/time.ts';
import { at, find } from '../../table/read.ts';
import { projectKeysRecord } from '../../table/records/project.ts';
import { dueValues, readDueEnvironments } from './due-values.ts';

/**
 * The values that are due within a time or overdue, in environments that exist for the caller.
 * @throws project_not_found
 */
export async function listDue(
  { access, organization }: MemberContext,
  { within, project, owner, limit, offset }: QueryOf<typeof contract>,
): Promise<{ due: Due[]; pagination?: Pagination }> {
  const [environments, named] = await Promise.all([
    readDueEnvironments(organization),
    project === undefined ? undefined : find(at(projectKeysRecord, organization.slug, project)),
  ]);
  if (project !== undefined && (named?.status !== 'active' || !access.seesProject(named))) throw projectNotFound();
  const owned = owner === 'me' ? access.member.userId : owner;
  const visible = environments
    .filter(found => access.seesProject(found.project) && access.seesEnvironment(found.environment))
    .filter(found => project === undefined || found.project.id === named?.id)
    .map(found => ({ ...found, keys: found.keys.filter(key => owned === undefined || key.owner === owned) }));
  const until = new Date(Date.now() + within * dayMs).toISOString();
  const due = (await dueValues(organization.slug, visible, until)).map(({ shown }) => shown);
  if (limit === undefined) return { due };
  return { due: due.slice(offset, offset + limit), pagination: { limit, offset, total: due.length } };
}
