import * as z from 'zod';
import { Uuid } from './text.ts';

/** What can become of a proposal. */
export const proposalStates = ['open', 'applied', 'rejected', 'withdrawn', 'expired'] as const;

/** What a proposal holds: what `/changes`, `/promote` or `/restore` would do. */
export const proposalContents = ['changes', 'promotion', 'restore'] as const;

/** How far the rotation of a value is that is changed outside of Holdfast too. */
export const rotationProgress = ['started', 'changed', 'finished'] as const;
export type RotationProgress = (typeof rotationProgress)[number];

/** The most people that an environment can require to approve a change. */
export const maxApprovals = 3;

/** How many proposals of an environment can be open. */
export const maxOpenProposals = 20;

/** How long a proposal can be open, at most. */
export const maxProposalDays = 30;

/* Schemas, which the hot functions leave out. */
export const ProposalId = /* @__PURE__ */ Uuid.meta({ example: '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05' });

export const ProposalContent = /* @__PURE__ */ z.enum(proposalContents).meta({
  description: 'What was proposed: changes of single keys, a promotion or a restore.',
  example: 'changes',
});
