import { describeKeys } from '../contracts/fields/due.ts';
import type { Precondition } from '../contracts/fields/preconditions.ts';
import { type EnvironmentPath, ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import { type TemplateKeyRecord, templateKeyRecord } from '../table/records/project.ts';
import { beginConditionalRead, type ConditionalRead } from './engine/read-environment.ts';

interface Conditions {
  ifNoneMatch: Precondition | undefined;
  revision?: number | undefined;
  describe?: boolean | undefined;
}

/** A read of an environment, with the template if its keys are to be described. */
export type DescribedRead<Reads> = ConditionalRead<Reads> & { template?: TemplateKeyRecord[] | undefined };

/** Like `beginConditionalRead`. The template has no revision, so a read with it is never answered by one. */
export async function beginDescribedRead<Reads>(
  path: EnvironmentPath,
  { ifNoneMatch, revision, describe = false }: Conditions,
  begin: (currentState: EnvironmentState | undefined) => Promise<Reads>,
): Promise<DescribedRead<Reads>> {
  if (!describe) return beginConditionalRead(path, { ifNoneMatch, revision }, begin);
  const [template, reads] = await Promise.all([
    list(templateKeyRecord, ranges.templateKeys(path.orgSlug, path.project)),
    begin(undefined),
  ]);
  return { reads, template };
}

/** The keys as they are, or described by the template of their project. Pure. */
export function describedKeys<K extends { key: string; updatedAt: string }>(
  keys: readonly K[],
  { template }: Pick<DescribedRead<unknown>, 'template'>,
  { projectId, environmentId }: { projectId: string; environmentId: string },
) {
  if (template === undefined) return [...keys];
  const own = template.filter(templateKey => templateKey.projectId === projectId);
  return describeKeys(keys, own, environmentId);
}
