import { randomUUID } from 'node:crypto';
import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import {
  expectStatus,
  join,
  makeWebhook,
  type Place,
  placeWithHistory,
  placeWithSecrets,
  valuesIn,
} from '#test/support/sample-requests.ts';

/** Whether a change took effect on all of these keys. @throws Error if it did on some */
const changes = (wanted: Record<string, string | undefined>) => async (there: Place, api: Api) => {
  const values = await valuesIn(api, there);
  const done = Object.entries(wanted).filter(([key, value]) => values[key] === value).length;
  const all = Object.keys(wanted).length;
  if (done !== 0 && done !== all) throw new Error(`${done} of the ${all} keys of a change are there.`);
  return done > 0;
};

const numbered = (count: number, prefix: string, value: (key: string) => string | undefined) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => `${prefix}_${index}`).map(key => [key, value(key)]));

const imported = numbered(120, 'KEY', key => `imported ${key}`);
const old = Object.keys(numbered(60, 'OLD', () => ''));

interface Proposed extends Place {
  proposal: { id: string; digest: string };
  other: { cookie: string };
}

/** A place whose owner has proposed a change, and somebody else who may write there. */
async function placeWithProposal(api: Api, more: object = {}): Promise<Proposed> {
  const there = await placeWithSecrets(api);
  const other = await seedPerson();
  await join(api, there, other, 'admin');
  const change = { set: [{ key: 'KEY_1', value: 'proposed' }], ...more };
  const { body } = await expectStatus(api.post(`${there.secrets}/dev/proposals`, change, there.session), 201);
  return { ...there, proposal: body.proposal, other: other.session };
}

/** The same where changes need an approval. */
async function placeNeedingApproval(api: Api): Promise<Proposed> {
  const there = await placeWithProposal(api);
  const path = `/projects/${there.organization.id}/shop/environments/dev`;
  await expectStatus(api.patch(path, { approvals: 1 }, there.session), 200);
  return there;
}

const proposalId = ({ proposal }: Proposed) => ({ proposalId: proposal.id });

const isProposalIn = (state: string) => async (there: Proposed, api: Api) => {
  const path = `${there.secrets}/dev/proposals/${there.proposal.id}`;
  return (await expectStatus(api.get(path, there.session), 200)).body.proposal.state === state;
};

const appliesProposal = async (there: Proposed, api: Api) => {
  const isApplied = await isProposalIn('applied')(there, api);
  if ((await changes({ KEY_1: 'proposed' })(there, api)) !== isApplied) throw new Error('Only a part was applied.');
  return isApplied;
};

export const samples: Samples = {
  'pull-secrets': sample({ works: [200] }),
  'pull-secrets keys': sample({ query: '?keys=KEY_1,KEY_2' }),
  'pull-secrets layers': sample({ query: '?layers=shop/staging' }),
  'pull-secrets format': sample({ query: '?format=json' }),
  'pull-secrets past': sample({ world: placeWithHistory, query: '?revision=1' }),
  'compare-environments': sample({ query: '?with=staging&values=true' }),
  'set-secret': sample({
    world: async api => ({ ...(await placeWithSecrets(api)), value: `new ${randomUUID()}` }),
    body: ({ value }) => ({ key: 'KEY_1', value }),
    works: [200],
    isDone: async (there, api) => (await valuesIn(api, there)).KEY_1 === there.value,
  }),
  'set-secret webhook': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      await makeWebhook(api, there);
      return there;
    },
    body: () => ({ key: 'NEW', value: 'new' }),
    works: [201],
    repeats: [200],
    isDone: changes({ NEW: 'new' }),
  }),
  'import-secrets': sample({
    body: () => ({ secrets: { KEY_1: 'changed', OTHER: 'added' } }),
    isDone: changes({ KEY_1: 'changed', OTHER: 'added' }),
  }),
  'import-secrets large': sample({ body: () => ({ secrets: imported }), isDone: changes(imported) }),
  'apply-changes': sample({
    body: () => ({ set: [{ key: 'KEY_1', value: 'changed' }], delete: ['KEY_2'], message: 'a mixture' }),
    repeats: [404],
    isDone: changes({ KEY_1: 'changed', KEY_2: undefined }),
  }),
  'list-versions': sample(),
  'list-versions values': sample({ query: '?values=true' }),
  'list-revisions': sample({ world: placeWithHistory }),
  'diff-revisions': sample({ world: placeWithHistory, query: '?from=1&values=true' }),
  'restore-secrets': sample({
    world: placeWithHistory,
    body: () => ({ revision: 1 }),
    isDone: changes({ KEY_1: 'value 1' }),
  }),
  'destroy-versions': sample({
    world: placeWithHistory,
    isDone: async ({ secrets, session }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/versions/KEY_1`, session), 200)).body.versions.at(-1).destroyed,
  }),
  'promote-secrets': sample({
    world: placeWithSecrets,
    body: () => ({ from: 'dev', to: 'staging' }),
    isDone: async (there, api) => (await valuesIn(api, there, 'staging')).KEY_2 === 'value 2',
  }),
  'bulk-delete-secrets': sample({
    body: () => ({ keys: ['KEY_1', 'KEY_2'] }),
    isDone: async (there, api) => Object.keys(await valuesIn(api, there)).join() === 'KEY_0',
  }),
  'bulk-delete-secrets large': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      const secrets = numbered(60, 'OLD', () => 'old');
      await expectStatus(api.post(`${there.secrets}/dev/bulk`, { secrets }, there.session), 200);
      return there;
    },
    body: () => ({ keys: old }),
    isDone: changes(numbered(60, 'OLD', () => undefined)),
  }),
  'delete-secret': sample({ isDone: changes({ KEY_1: undefined }) }),
  'create-proposal': sample({
    isDone: async ({ secrets, session }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/proposals`, session), 200)).body.proposals.length > 0,
  }),
  'create-proposal promotion': sample({
    values: () => ({ env: 'staging' }),
    body: () => ({ promote: { from: 'dev' } }),
    isDone: async ({ secrets, session }, api) =>
      (await expectStatus(api.get(`${secrets}/staging/proposals`, session), 200)).body.proposals.length > 0,
  }),
  'create-proposal restore': sample({
    world: placeNeedingApproval,
    body: () => ({ restore: { revision: 0 } }),
    isDone: async ({ secrets, session }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/proposals`, session), 200)).body.proposals.length > 1,
  }),
  'list-proposals': sample({ world: placeWithProposal }),
  'list-proposals open': sample({ world: placeWithProposal, query: '?state=open' }),
  'get-proposal': sample({ world: placeWithProposal, values: proposalId, query: '?values=true' }),
  'approve-proposal': sample({
    world: placeNeedingApproval,
    values: proposalId,
    as: ({ other }) => other,
    body: ({ proposal: { digest } }) => ({ digest }),
    isDone: appliesProposal,
  }),
  'apply-proposal': sample({ world: placeWithProposal, values: proposalId, repeats: [409], isDone: appliesProposal }),
  'reject-proposal': sample({
    world: placeWithProposal,
    values: proposalId,
    as: ({ other }) => other,
    repeats: [409],
    isDone: isProposalIn('rejected'),
  }),
  'withdraw-proposal': sample({
    world: placeWithProposal,
    values: proposalId,
    repeats: [409],
    isDone: isProposalIn('withdrawn'),
  }),
  'rebase-proposal': sample({
    world: placeWithProposal,
    values: proposalId,
    isDone: async ({ secrets, session, proposal: { id, digest } }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/proposals/${id}`, session), 200)).body.proposal.digest !== digest,
  }),
  'record-progress': sample({
    world: api => placeWithProposal(api, { purpose: 'rotation' }),
    values: proposalId,
    isDone: async ({ secrets, session, proposal: { id } }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/proposals/${id}`, session), 200)).body.proposal.progress ===
      'started',
  }),
};
