import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/environment-type.ts';
import { ApiError } from '../../core/errors.ts';
import { entity } from '../entity.ts';
import { equals, isNew } from '../expressions.ts';
import { keys } from '../keys.ts';
import { at, find, type Read } from '../read.ts';
import { check, type Write } from '../write.ts';

/*
 * A slug whose owner was erased may be used again, and clients may still hold entity tags of the environments it had. So
 * an item stays behind that says the slug was used: no revision, and of an organization not even the slug in clear. That
 * of an environment also says its last type, because readers of the old environment's type must not read what others
 * still write under its slug.
 */

const schema = z.object({ retiredAt: z.string() });

/** A slug of an erased organization. */
export const retiredOrganizationRecord = entity({ kind: 'retiredSlug', key: keys.retiredOrganization, schema });

/** A slug that an erased environment had. It outlives its project. */
export const retiredEnvironmentRecord = entity({
  kind: 'retiredSlug',
  key: keys.retiredEnvironment,
  schema: z.object({
    retiredAt: z.string(),
    /** The last type. A note from before this was kept counts as the least open one. */
    type: EnvironmentType.default('production'),
  }),
});

/** A slug of an erased project of the organization. */
export const retiredProjectRecord = entity({ kind: 'retiredSlug', key: keys.retiredProject, schema });

interface FirstRevision {
  /**
   * Where environments under the slug begin to count their revisions: 0 for a slug that was never used; else the time in
   * epoch milliseconds, which is above every earlier revision because no environment changes a thousand times a second.
   */
  firstRevision: number;
  /**
   * For the transaction that takes the slug: that it was not freed since this was read. It fails with slug_taken
   * otherwise, as the slug was taken then.
   */
  stillHolds: Write[];
}

export function firstRevisionOfOrganization(slug: string): Promise<FirstRevision> {
  return firstRevision(at(retiredOrganizationRecord, slug), slug);
}

export function firstRevisionOfProject(orgSlug: string, project: string): Promise<FirstRevision> {
  return firstRevision(at(retiredProjectRecord, orgSlug, project), project);
}

/** With the last type of the environment that had the slug. */
export async function firstRevisionOfEnvironment(
  orgSlug: string,
  project: string,
  env: string,
): Promise<FirstRevision & { lastType: EnvironmentType | undefined }> {
  const retired = at(retiredEnvironmentRecord, orgSlug, project, env);
  const found = await find(retired);
  return { ...firstRevisionAfter(retired, found, env), lastType: found?.type };
}

type Note = z.output<typeof schema>;

async function firstRevision(retired: Read<Note>, slug: string): Promise<FirstRevision> {
  return firstRevisionAfter(retired, await find(retired), slug);
}

function firstRevisionAfter(retired: Read<Note>, found: Note | undefined, slug: string): FirstRevision {
  const firstRevision = found === undefined ? 0 : Date.now();
  const refused = () => new ApiError('slug_taken', `The slug ${slug} is taken.`);
  const isSame = found === undefined ? isNew : { retiredAt: equals(found.retiredAt) };
  return { firstRevision, stillHolds: [check(retired, { if: isSame, refused })] };
}
