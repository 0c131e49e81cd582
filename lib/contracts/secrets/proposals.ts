import * as z from 'zod';
import { contract, created, ok } from '../contract.ts';
import { changesBodyFields } from '../fields/changes-body.ts';
import { ProposalContent, ProposalId, proposalStates, rotationProgress } from '../fields/proposal.ts';
import { flagQuery, integerQuery } from '../fields/query.ts';
import { writers } from '../fields/role.ts';
import { Slug, Timestamp, UserReference, Uuid } from '../fields/text.ts';
import { changeUses, IfMatchHeader, referenceErrors } from './changes.ts';
import { ProposalBody, Purpose } from './proposal-body.ts';
import { keyNames, mayNeedValues, Revision, writesSecrets } from './secrets.ts';

/** Whoever may write in the environment sees what is proposed there; the values take the right to read. */
const seesProposals = { ...writesSecrets, tokens: 'read' } as const;

/**
 * A token for names only may end and renew what such a token has proposed for its user, but not apply it: others decide
 * about it.
 */
const ownsProposals = { ...writesSecrets, ...mayNeedValues } as const;

/** People only. */
const decides = {
  kind: 'member',
  roles: writers,
  tokens: 'session',
  narrowestToken: 'none',
  environmentRule: 'write',
  granted: true,
} as const;

const Progress = z.enum(rotationProgress).meta({
  description:
    '`started`: the values may be in use from now on; `changed`: they are; `finished`: and nothing is left to do.',
  example: 'changed',
});

const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { message: 'must be the digest of the proposal, 64 hexadecimal digits' })
  .meta({
    description: 'Identifies exactly what is proposed, including the values. It changes with a rebase.',
    example: '5f0a1c9e2b7d48f6a3e1908c7d6b5a4f3e2d1c0b9a8f7e6d5c4b3a2918070605',
  });

const State = z.enum(proposalStates).meta({
  description: 'Whether it is open, and otherwise what became of it.',
  example: 'open',
});

export const Proposal = z
  .object({
    id: ProposalId.describe('Proposal identifier.'),
    digest: Digest,
    state: State,
    holds: ProposalContent,
    baseRevision: Revision.describe('The environment’s revision that it was proposed against.'),
    created: keyNames('Keys that would be created.'),
    updated: keyNames(
      'Keys that would get a new value. For a token for names only, of a proposal by somebody who may see values, only ' +
        'those whose values the service generated: others that are equal are left out.',
    ),
    deleted: keyNames('Keys that would be deleted.'),
    expand: keyNames('Those keys whose proposed values name other keys; omitted if there are none.').optional(),
    generated: keyNames(
      'Those keys whose proposed values the service generated; omitted if there are none.',
    ).optional(),
    from: z
      .object({ slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }), revision: Revision })
      .optional()
      .describe('The environment and revision that a promotion copies from.'),
    restored: z.int().optional().meta({ description: 'The revision that a restore goes back to.', example: 12 }),
    message: z.string().nullable().meta({ description: 'The author’s reason.', example: 'Move to the new database' }),
    purpose: Purpose.nullable().describe('`rotation`, or null.'),
    progress: Progress.optional().describe('How far a rotation is that has started.'),
    createdBy: UserReference.describe('The author.'),
    approvals: z
      .array(UserReference.extend({ at: Timestamp.describe('When they approved.') }))
      .describe('Who has approved it and may still write to the environment.'),
    needed: z.int().meta({ description: 'How many approvals the environment requires now.', example: 1 }),
    createdAt: Timestamp.describe('When it was proposed.'),
    expiresAt: Timestamp.describe('Until when it can be approved and applied.'),
    closedAt: Timestamp.optional().describe('When it was applied, rejected or withdrawn.'),
    closedBy: UserReference.optional().describe('Who applied, rejected or withdrew it.'),
    reason: z.string().optional().meta({ description: 'Why it was rejected.', example: 'The host is wrong' }),
    revision: z.int().optional().meta({ description: 'The revision that applied it.', example: 18 }),
  })
  .meta({ id: 'Proposal', description: 'A change of secrets that waits for approval.' });
export type Proposal = z.infer<typeof Proposal>;

const ProposalResponse = z.object({ proposal: Proposal });

const TemplateProblems = z.object({
  missing: keyNames('Required keys that it deletes.'),
  invalid: z
    .array(
      z.object({
        key: z.string().meta({ description: 'The declared key.', example: 'DATABASE_HOST' }),
        reason: z.string().meta({ description: 'What is wrong.', example: 'does not match the pattern' }),
      }),
    )
    .describe('Declared keys whose proposed values don’t match their pattern.'),
});
export type TemplateProblems = z.infer<typeof TemplateProblems>;

const CheckedProposal = ProposalResponse.extend({
  templateProblems: TemplateProblems.optional().describe(
    'What the change breaks in the project’s template. Absent if nothing; it is proposed or applied anyway.',
  ),
});
export type CheckedProposal = z.infer<typeof CheckedProposal>;

const example = { proposal: { approvals: [], message: 'Move to the new database', purpose: null } };
const closed = (state: 'applied' | 'rejected' | 'withdrawn') => ({ proposal: { ...example.proposal, state } });

/** What reading an open proposal uses. One that has expired is closed when somebody next comes across it. */
const readUses = {
  GetItem: ['ENV'],
  BatchGetItem: ['ENV', 'ORG'],
  PutItem: ['AUDIT'],
  UpdateItem: ['ENV'],
  BatchWriteItem: ['ENV'],
} as const;

/** What a change uses, and what applying a proposal adds. */
const applyUses = {
  ...changeUses,
  table: {
    ...changeUses.table,
    BatchGetItem: [...changeUses.table.BatchGetItem, 'ORG'],
    ConditionCheckItem: ['ORG'],
    BatchWriteItem: ['ENV'],
  },
} as const;

const sizing = { memoryMb: 1024, reason: 'a thousand values are decrypted, encrypted and written in several steps' };

export const createProposal = contract({
  operationId: 'create-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals',
  summary: 'Propose a change',
  description:
    'Proposes what `/changes` would do, a promotion into the environment (`promote`) or a restore (`restore`), of up ' +
    'to 1,000 keys and 4 MiB. The values are those of now; nothing changes until enough people have approved. Whoever ' +
    'may write to the environment may propose, even where no approval is required; only owners and admins may propose ' +
    'a restore, or to delete more than one secret. `If-Match` checks the environment’s revision. An environment has up ' +
    'to 20 open proposals. Those who may approve get a mail, at most one an hour. If the change breaks the project’s ' +
    'template, the response says how. A token for names only may propose to generate, copy, restore and delete, but no ' +
    'value of its own, and no rotation; sizes and references are then checked when the proposal is applied.',
  access: { ...writesSecrets, ...mayNeedValues },
  headers: IfMatchHeader,
  body: ProposalBody,
  bodyHolds: 'secrets',
  bodyExample: { set: [{ key: 'DATABASE_HOST', value: 'db.internal.example' }], message: 'Move to the new database' },
  responses: created({ description: 'The proposal.', body: CheckedProposal, example }),
  errors: [
    'secret_not_found',
    'revision_not_found',
    'version_destroyed',
    'plan_limit_exceeded',
    'revision_mismatch',
    'version_mismatch',
    'proposal_limit_reached',
    ...referenceErrors,
    'rotation_open',
  ],
  uses: {
    table: {
      GetItem: ['ENV', 'ORG'],
      BatchGetItem: ['ENV', 'ORG', 'PLANS'],
      Query: ['ENV', 'ORG'],
      PutItem: ['AUDIT', 'ENV'],
      UpdateItem: ['ENV'],
      ConditionCheckItem: ['ENV'],
      BatchWriteItem: ['ENV'],
    },
    key: { project: ['Decrypt'] },
    queues: ['jobs'],
  },
  sizing,
});

export const listProposals = contract({
  operationId: 'list-proposals',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/proposals',
  summary: 'List proposals',
  description:
    'Returns the proposals of an environment, newest first, without values. A page may have fewer than `limit` ' +
    'entries. Closed proposals are kept for 90 days after they would have expired.',
  access: { ...seesProposals, names: 'always' },
  query: z.strictObject({
    state: State.optional().describe('Only proposals in this state.'),
    limit: integerQuery(1, 100, 'Proposals per page.').default(20),
    before: Uuid.optional().meta({
      description: 'Only proposals before this one: `next` of the previous page.',
      example: '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05',
    }),
  }),
  responses: ok({
    description: 'The proposals.',
    body: z.object({
      proposals: z.array(Proposal).describe('The proposals, newest first.'),
      next: z.string().nullable().meta({ description: '`before` for the next page; null on the last.', example: null }),
    }),
    example: { proposals: [example.proposal], next: null },
  }),
  uses: { table: { ...readUses, Query: ['ENV'] } },
});

export const getProposal = contract({
  operationId: 'get-proposal',
  route: 'GET /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}',
  summary: 'Get a proposal',
  description:
    'Returns a proposal, and which of its keys have changed since. Values are included only with `values=true`, ' +
    'only while it is open, and only for callers who can read the environment; that is audited.',
  access: { ...seesProposals, ...mayNeedValues },
  query: z.strictObject({ values: flagQuery('Whether to return the values.').default(false) }),
  responses: ok({
    description: 'The proposal.',
    body: z.object({
      proposal: Proposal,
      stale: keyNames('Keys of an open proposal that have changed since it was proposed. They prevent applying it.'),
      values: z
        .array(
          z.object({
            key: z.string().meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
            before: z.string().optional().describe('The value when it was proposed, unless the key had none.'),
            after: z.string().optional().describe('The proposed value, unless the key would be deleted.'),
          }),
        )
        .optional()
        .describe('The values; only with `values=true`.'),
    }),
    example: { ...example, stale: [] },
  }),
  errors: ['proposal_closed', 'payload_too_large'],
  uses: { table: readUses, key: { project: ['Decrypt'] } },
  sizing,
});

const decisionErrors = ['proposal_closed', 'self_approval'] as const;
const changeErrors = ['proposal_stale', 'plan_limit_exceeded', 'payload_too_large', ...referenceErrors] as const;

export const approveProposal = contract({
  operationId: 'approve-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/approve',
  summary: 'Approve a proposal',
  description:
    'Whoever may write to the environment approves a proposal of somebody else, in a fresh session. The approval that ' +
    'completes the required number applies the proposal in the same commit, if each of its keys is still at the ' +
    'version that it was proposed against, and the author may still write; otherwise the proposal stays open. Approvals ' +
    'of people who may no longer write don’t count. A second approval by the same person changes nothing.',
  access: { ...decides, fresh: 'by-content' },
  body: z.strictObject({ digest: Digest.describe('The digest of what the approver has seen.') }),
  bodyExample: { digest: '5f0a1c9e2b7d48f6a3e1908c7d6b5a4f3e2d1c0b9a8f7e6d5c4b3a2918070605' },
  responses: ok({ description: 'The proposal.', body: CheckedProposal, example: closed('applied') }),
  errors: [...decisionErrors, ...changeErrors, 'digest_mismatch'],
  uses: applyUses,
  sizing,
});

export const rejectProposal = contract({
  operationId: 'reject-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/reject',
  summary: 'Reject a proposal',
  description:
    'Closes a proposal. Whoever may approve it may reject it, unless it is a rotation that has started: then the new ' +
    'value may be in use already, and only the author ends it, as long as the author may write.',
  access: decides,
  body: z.strictObject({
    message: changesBodyFields.message.describe('Why, in one line. The author sees it: never include a secret.'),
  }),
  bodyExample: { message: 'The host is wrong' },
  responses: ok({ description: 'The proposal.', body: ProposalResponse, example: closed('rejected') }),
  errors: [...decisionErrors, 'rotation_open'],
  uses: { table: readUses },
});

export const withdrawProposal = contract({
  operationId: 'withdraw-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/withdraw',
  summary: 'Withdraw a proposal',
  description: 'Closes a proposal. Only its author may withdraw it.',
  access: ownsProposals,
  responses: ok({ description: 'The proposal.', body: ProposalResponse, example: closed('withdrawn') }),
  errors: ['proposal_closed'],
  uses: { table: readUses },
});

export const applyProposal = contract({
  operationId: 'apply-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/apply',
  summary: 'Apply a proposal',
  description:
    'Applies a proposal that has enough approvals: where none is required, after the number was lowered, and for a ' +
    'rotation. The author or an approver may; for a rotation only the author. Where approvals are required, this takes ' +
    'a session, except for a rotation.',
  access: writesSecrets,
  responses: ok({ description: 'The proposal.', body: CheckedProposal, example: closed('applied') }),
  errors: ['approval_required', 'proposal_closed', ...changeErrors],
  uses: applyUses,
  sizing,
});

export const rebaseProposal = contract({
  operationId: 'rebase-proposal',
  route: 'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/rebase',
  summary: 'Propose the same values anew',
  description:
    'Proposes the same values against the environment as it is now, under the same id, with a new digest and without ' +
    'approvals. Only its author may. Deletions of keys that are gone are left out, and so are keys that already have ' +
    'the proposed value, unless it is a rotation.',
  access: ownsProposals,
  responses: ok({ description: 'The proposal.', body: CheckedProposal, example }),
  errors: ['proposal_closed', 'plan_limit_exceeded', 'payload_too_large', ...referenceErrors],
  uses: {
    table: {
      ...readUses,
      GetItem: ['ENV', 'ORG'],
      BatchGetItem: ['ENV', 'ORG', 'PLANS'],
      Query: ['ENV', 'ORG'],
      ConditionCheckItem: ['ENV'],
    },
    key: { project: ['Decrypt'] },
    queues: ['jobs'],
  },
  sizing,
});

export const recordProgress = contract({
  operationId: 'record-progress',
  route: 'PUT /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/progress',
  summary: 'Record the progress of a rotation',
  description:
    'The author of a rotation records how far it is, so that it can be resumed. `started` takes the approvals that the ' +
    'environment requires, and goes before the value changes anywhere else: from then on nobody can reject the ' +
    'proposal while its author may write, and it stays open for ten years. `changed`: it has changed there. `finished`: the proposal was applied, ' +
    'and nothing is left to do. Progress never goes back: what is behind it changes nothing.',
  access: writesSecrets,
  body: z.strictObject({ progress: Progress }),
  bodyExample: { progress: 'started' },
  responses: ok({ description: 'The proposal.', body: ProposalResponse, example }),
  errors: ['approval_required', 'proposal_closed', 'rotation_open'],
  uses: { table: readUses },
});
