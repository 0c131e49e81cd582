import { createHmac, randomBytes } from 'node:crypto';
import type { MemberAccess } from '../../access/member-access.ts';
import { fromRanges, toRanges } from '../../contracts/fields/number-ranges.ts';
import { chunksWithin } from '../../core/chunks-of.ts';
import { ApiError } from '../../core/errors.ts';
import { daySeconds, epochSeconds } from '../../core/time.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, readAll } from '../../table/read.ts';
import {
  type ProposalPartRecord,
  type ProposalRecord,
  proposalPartRecord,
  proposalRecord,
} from '../../table/records/proposal.ts';
import { put, putAlone, removeAll } from '../../table/write.ts';
import type { Put } from '../change/change-request.ts';
import { generatedKeys } from '../change/new-puts.ts';
import type { KeyRing } from '../engine/key-ring.ts';

/*
 * A proposal's values are sealed in parts, which are written before the proposal itself and never change, except by
 * re-encryption. Their place is the proposal's id and the number of the part. Parts of a proposal that was never
 * committed expire.
 */

export const proposalAt = (path: EnvironmentPath, id: string) => at(proposalRecord, path, id);

export const proposalNotFound = () => new ApiError('proposal_not_found', 'There is no such proposal here.');

export const isExpired = ({ endsAt }: Pick<ProposalRecord, 'endsAt'>) => Date.parse(endsAt) <= Date.now();

export const isOpen = (proposal: ProposalRecord) => proposal.state === 'open' && !isExpired(proposal);

type Listed = Pick<ProposalRecord, 'created' | 'updated' | 'deleted'>;

export const keysOf = ({ created, updated, deleted }: Listed) =>
  [...created, ...updated, ...deleted].map(([key]) => key);

/** The keys whose proposed values the service made. */
export function generatedIn({ generated = '', ...content }: Listed & Pick<ProposalRecord, 'generated'>): string[] {
  const keys = keysOf(content);
  return fromRanges(generated).map(place => keys[place - 1] ?? '');
}

/**
 * The keys that would be updated, as far as a caller may know them: unless its author could only see names, a proposal
 * leaves out keys that have the proposed value already. Values that were generated are not compared.
 */
export function shownUpdates({ seesValues }: Pick<MemberAccess, 'seesValues'>, proposal: ProposalRecord): string[] {
  const updated = proposal.updated.map(([key]) => key);
  if (seesValues || proposal.byNames === true) return updated;
  const generated = new Set(generatedIn(proposal));
  return updated.filter(key => generated.has(key));
}

/** Their places in `keysOf`, which take less room than their names. */
export function generatedPlaces(content: Listed, puts: readonly Put[]): string | undefined {
  const generated = new Set(generatedKeys(puts));
  const places = keysOf(content).flatMap((key, index) => (generated.has(key) ? [index + 1] : []));
  return places.length === 0 ? undefined : toRanges(places);
}

/** The proposed values by key, and the key of the digest's MAC. */
interface ProposedValues {
  values: ReadonlyMap<string, string>;
  macKey: string;
}

export const newMacKey = () => randomBytes(32).toString('hex');

type Described = Pick<
  ProposalRecord,
  | 'id'
  | 'environmentId'
  | 'holds'
  | 'rebases'
  | 'purpose'
  | 'message'
  | 'created'
  | 'updated'
  | 'deleted'
  | 'expand'
  | 'generated'
>;

/**
 * The MAC of everything that an approver sees. Its key is sealed with the values, so the digest reveals nothing about
 * them. Pure.
 */
export function digestOf(described: Described, { values, macKey }: ProposedValues): string {
  const { id, environmentId, holds, rebases, purpose = null, message = null, created, updated, deleted } = described;
  const expand = described.expand === undefined ? [] : [described.expand];
  const generated = described.generated === undefined ? [] : [{ generated: described.generated }];
  const shown = [...created, ...updated].map(([key, version]) => [key, version, values.get(key)]);
  const content = [id, environmentId, holds, rebases, purpose, message, shown, created.length, deleted];
  const all = [...content, ...expand, ...generated];
  return createHmac('sha256', Buffer.from(macKey, 'hex')).update(JSON.stringify(all)).digest('hex');
}

/** Several fit into one read; a single value may take 390 KB as JSON, and DynamoDB's limit is 400 KB. */
const maximumPartBytes = 200_000;

const partKey = (id: string) => `#${id}`;

/** Writes the parts under a new id, which nothing refers to yet. @returns how many there are */
export async function writeParts(
  path: EnvironmentPath,
  { id, environmentId, expiresAt }: { id: string; environmentId: string; expiresAt: number },
  { values, macKey }: ProposedValues,
  ring: KeyRing,
): Promise<number> {
  const entries = [['', macKey] as const, ...values];
  const sizeOf = (entry: readonly [string, string]) => ({ count: 1, bytes: Buffer.byteLength(JSON.stringify(entry)) });
  const chunks = chunksWithin({ count: Number.POSITIVE_INFINITY, bytes: maximumPartBytes }, entries, sizeOf);
  await Promise.all(
    chunks.map(async (chunk, index) => {
      const place = { key: partKey(id), version: index + 1 };
      const sealed = await ring.seal(JSON.stringify(chunk), { environmentId, ...place });
      const part = { ...place, sealed, keyVersion: ring.keyVersion, expiresAt };
      await putAlone(put(at(proposalPartRecord, path, id, place.version), part));
    }),
  );
  return chunks.length;
}

const partsAt = (path: EnvironmentPath, { id, parts }: Pick<ProposalRecord, 'id' | 'parts'>) =>
  Array.from({ length: parts }, (_, index) => at(proposalPartRecord, path, id, index + 1));

export type Parts = readonly (ProposalPartRecord | undefined)[];

export const readParts = (path: EnvironmentPath, proposal: ProposalRecord): Promise<Parts> =>
  readAll(partsAt(path, proposal));

/**
 * The values of an open proposal, verified against its digest.
 * @param readAhead the parts, if they were read before; they may be under a data key that is gone
 * @returns undefined if parts are missing, because the proposal was closed in the meantime
 */
export async function openValues(
  path: EnvironmentPath,
  proposal: ProposalRecord,
  ring: KeyRing,
  readAhead?: Parts,
): Promise<ProposedValues | undefined> {
  const canOpen = readAhead?.every(part => part !== undefined && ring.canOpen(part)) === true;
  const parts = canOpen ? readAhead : await readParts(path, proposal);
  const stored = parts.filter(part => part !== undefined);
  if (stored.length < proposal.parts) return undefined;
  const opened = await Promise.all(stored.map(part => ring.open(proposal.environmentId, part)));
  const entries = opened.flatMap(text => JSON.parse(text) as [string, string][]);
  const [[, macKey] = ['', ''], ...values] = entries;
  const proposed = { values: new Map(values), macKey };
  if (digestOf(proposal, proposed) !== proposal.digest) {
    throw new Error(`The proposal ${proposal.id} does not match its digest.`);
  }
  return proposed;
}

/** The values of a closed proposal. If this fails, they expire. */
export async function removeParts(path: EnvironmentPath, proposal: ProposalRecord): Promise<void> {
  await removeAll(partsAt(path, proposal).map(({ key }) => key)).catch(() => undefined);
}

/** Closed proposals are listed for this long after they would have expired. */
const keptDays = 90;

export const removedAfter = (endsAt: string) => epochSeconds(Date.parse(endsAt)) + keptDays * daySeconds;

/** Parts of a proposal that was never committed, or whose removal failed. */
export const partsRemovedAfter = (endsAt: string) => epochSeconds(Date.parse(endsAt)) + daySeconds;
