import * as z from 'zod';
import { proposalContents, proposalStates, rotationProgress } from '../../contracts/fields/proposal.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const person = z.object({ id: z.string(), email: z.string() });

/** Keys with the version that each had when the change was proposed; 0 for one that never existed. */
const keyVersions = z.array(z.tuple([z.string(), z.int()]));

/** A change of an environment's secrets that waits for people to approve it. Its values are in its parts. */
export const proposalRecord = /* @__PURE__ */ entity(
  'proposal',
  keys.proposal,
  {
    /** A UUID of version 7, so that proposals sort by the time of their creation. */
    id: z.string(),
    environmentId: z.string(),
    state: z.enum(proposalStates),
    /** What it was proposed as. The values are those of that moment, whatever it was. */
    holds: z.enum(proposalContents),
    from: z.object({ id: z.string(), slug: z.string(), revision: z.int() }).optional(),
    restored: z.int().optional(),
    baseRevision: z.int(),
    created: keyVersions,
    updated: keyVersions,
    deleted: keyVersions,
    /** The keys whose proposed values name others. Part of the digest. */
    expand: z.array(z.string()).optional(),
    /** The places of the keys whose values the service made, among `created` and then `updated` (see `toRanges`). */
    generated: z.string().optional(),
    /** Its author could only see names, so its keys don't tell which values differ from the present ones. */
    byNames: z.literal(true).optional(),
    /** Identifies exactly what an approver sees, values included. */
    digest: z.string(),
    /** How often it was proposed anew. Part of the digest. */
    rebases: z.int(),
    parts: z.int(),
    message: z.string().optional(),
    purpose: z.literal('rotation').optional(),
    /** Of a rotation. Once it is there, the new value may be in use outside: nobody may reject it, and it hardly expires. */
    progress: z.enum(rotationProgress).optional(),
    author: z.object({
      ...person.shape,
      /** The id of the author's membership, or of the identity's trust. An author without one may change nothing. */
      memberId: z.string().default(''),
      /** For an identity: who created it, and who last changed whom it trusts. They can sign in as it. */
      setUpBy: z.array(z.string()).default([]),
    }),
    /** With the id of the approver's membership: whoever leaves and joins again has not approved. */
    approvals: z.array(z.object({ ...person.shape, memberId: z.string(), at: z.string() })),
    /** Rises with every write, so that each write requires what its writer read. */
    step: z.int(),
    createdAt: z.string(),
    /** Until when it may be applied. */
    endsAt: z.string(),
    closedAt: z.string().optional(),
    closedBy: person.optional(),
    reason: z.string().optional(),
    /** The revision that applied it. */
    revision: z.int().optional(),
    expiresAt: ExpiresAt,
  },
  { upgrades: [['progress']] },
);
export type ProposalRecord = ReturnType<typeof proposalRecord.parse>;

/**
 * Some of a proposal's values, sealed together under the environment's data key. `key` and `version` are their place:
 * no secret's key begins with `#`. Never changed except by re-encryption.
 */
export const proposalPartRecord = /* @__PURE__ */ entity('proposalPart', keys.proposalPart, {
  key: z.string(),
  version: z.int(),
  sealed: Bytes,
  keyVersion: z.int(),
  expiresAt: ExpiresAt,
});
export type ProposalPartRecord = ReturnType<typeof proposalPartRecord.parse>;

/**
 * The ids of an environment's open proposals, so that their number is limited. Only proposing writes it, so it may name
 * proposals that have been closed since.
 */
export const openProposalsRecord = /* @__PURE__ */ entity('openProposals', keys.openProposals, {
  environmentId: z.string(),
  ids: z.array(z.string()),
  step: z.int(),
});
