import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/role.ts';
import { ApiError } from '../../core/errors.ts';
import { entity } from '../entity.ts';
import { equals, isNew } from '../expressions.ts';
import { keys } from '../keys.ts';
import { find, type Read } from '../read.ts';
import { check, type Write } from '../write.ts';
import type { Kept } from './kept.ts';

/*
 * The slug of an erased resource can be reused while clients still hold ETags of its environments, so an item records
 * that it was used; for an organization, without the plain slug. An environment's item also has its last type: its
 * clients may still write to the slug, and users who could not read the old type must not read those values.
 */

const retirement = { retiredAt: z.string() };

export const retiredOrganizationRecord = entity('retiredSlug', keys.retiredOrganization, retirement);

/** A slug of an erased environment. It outlives its project. */
export const retiredEnvironmentRecord = entity('retiredSlug', keys.retiredEnvironment, {
  ...retirement,
  /** The last type. Items without one count as the most restricted type. */
  type: EnvironmentType.default('production'),
});

export const retiredProjectRecord = entity('retiredSlug', keys.retiredProject, retirement);

/** A slug can't be taken yet: what has it is being erased, or its erasure ended while the request was running. */
export class SlugBeingErased extends Error {
  override readonly name = 'SlugBeingErased';
  /** What clients get if the erasure takes too long. */
  readonly taken: ApiError;

  constructor(taken: ApiError) {
    super(taken.message);
    this.taken = taken;
  }
}

interface Holder {
  status?: string;
  kept?: Kept | undefined;
}

export function slugTaken(slug: string, where: string, holder: Holder | undefined): Error {
  if (holder?.kept !== undefined) return slugKept(slug, holder.kept);
  if (holder?.status !== 'deleting') return new ApiError('slug_taken', `The slug ${slug} is taken in this ${where}.`);
  return new SlugBeingErased(
    new ApiError(
      'slug_taken',
      `The previous owner of the slug ${slug} was deleted and is still being erased, which usually takes less than a ` +
        'minute. Try again then, or choose another slug.',
      { details: { beingErased: true, retryAfterSeconds: 10 } },
    ),
  );
}

/** A slug stays taken as long as what had it can be restored. */
export function slugKept(slug: string, { deletedAt, erasedAt }: Kept): ApiError {
  const message = `The slug ${slug} belongs to something deleted that can be restored until ${erasedAt}.`;
  return new ApiError('slug_taken', message, { details: { deletedAt, erasedAt } });
}

interface Retirement {
  retiredAt: string;
}

interface FirstRevision<Note> {
  /**
   * What environments under the slug start from: 0 for an unused slug, otherwise the time in epoch milliseconds. No
   * environment changes a thousand times a second, so this is above every earlier revision.
   */
  firstRevision: number;
  /** For the transaction that takes the slug: it has not been freed since this was read. Else `SlugBeingErased`. */
  stillHolds: Write[];
  retired: Note | undefined;
}

export async function firstRevisionAfter<Note extends Retirement>(
  read: Read<Note>,
  slug: string,
): Promise<FirstRevision<Note>> {
  const retired = await find(read);
  const refused = () => new SlugBeingErased(new ApiError('slug_taken', `The slug ${slug} is taken.`));
  const note: Read<Retirement> = read;
  const isSame = retired === undefined ? isNew : { retiredAt: equals(retired.retiredAt) };
  const firstRevision = retired === undefined ? 0 : Date.now();
  return { firstRevision, stillHolds: [check(note, { if: isSame, refused })], retired };
}
