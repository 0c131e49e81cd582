import { createHmac } from 'node:crypto';
import type { MemberAccess } from '../../access/member-access.ts';
import { ApiError } from '../../core/errors.ts';
import { effectiveLimits, isUnlimited, planLimitExceeded } from '../../plans/effective-limits.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { PlanConfigs } from '../../table/records/platform.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { maxEnvironmentBytes } from '../engine/secret-size.ts';
import { sizeAfter } from '../engine/write-change.ts';
import type { Target } from './change-request.ts';

type Changed = Pick<Target, 'project' | 'state'> & { before: ReadonlyMap<string, HeadRecord> };

/**
 * Rejects only growth, so that an environment above a lowered limit can still be changed and emptied.
 * @throws plan_limit_exceeded
 */
export function requireSecretCount(
  access: MemberAccess,
  plans: PlanConfigs,
  { state, before }: Changed,
  heads: readonly HeadRecord[],
): void {
  const after = sizeAfter({ state, before, heads });
  const limit = effectiveLimits(access.organization, plans).effective.maxSecretsPerEnvironment;
  if (after.secretCount > state.secretCount && !isUnlimited(limit) && after.secretCount > limit) {
    throw planLimitExceeded('maxSecretsPerEnvironment', limit, state.secretCount);
  }
}

/** Rejects only growth, too. @throws payload_too_large */
export function requireSize(
  access: MemberAccess,
  { project, state, before }: Changed,
  heads: readonly HeadRecord[],
): void {
  const after = sizeAfter({ state, before, heads });
  if (!access.knowsValues(state)) {
    // Subtracting a replaced value's size would reveal it to a writer who may not read it.
    const added = heads.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    const bound = maxEnvironmentBytes - hiddenBytes(project, state);
    if (added > 0 && state.sizeBytes + added > bound) throw environmentFull({});
  } else if (after.sizeBytes > state.sizeBytes && after.sizeBytes > maxEnvironmentBytes) {
    throw environmentFull({ sizeBytes: after.sizeBytes });
  }
}

export function environmentFull(details: { sizeBytes?: number }): ApiError {
  const message = `This does not fit: an environment can hold at most ${maxEnvironmentBytes} bytes.`;
  return new ApiError('payload_too_large', message, { details: { ...details, maximumBytes: maxEnvironmentBytes } });
}

/** Large enough that measuring a size to within a few hundred bytes takes thousands of audited revisions. */
const maximumHiddenBytes = 512 * 1024;

/**
 * How far below its size limit an environment counts as full for a writer who may not read it. With an exact limit,
 * such a writer could measure the values to the byte in dry runs. The amount is the same for all requests at a
 * revision, so repeating them reveals nothing, and only the service can compute it. Pure.
 */
export function hiddenBytes(
  { keyVersion, wrappedKeys }: Pick<ProjectKeys, 'keyVersion' | 'wrappedKeys'>,
  { id, revision }: Pick<EnvironmentState, 'id' | 'revision'>,
): number {
  const secret = wrappedKeys[String(keyVersion)];
  if (secret === undefined) throw new Error(`The project of environment ${id} lacks its data key ${keyVersion}.`);
  return createHmac('sha256', secret).update(`space ${id} ${revision}`).digest().readUInt32BE() % maximumHiddenBytes;
}
