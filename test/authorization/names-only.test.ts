import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { type Caller, codeOf, createToken, useApi } from '../support/api.ts';
import { documentedRequest, unknownValues } from '../support/documented-request.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { words } from '../support/words.ts';
import { startWithoutWorkers } from './every-verdict.ts';

/* What a token for names only may do at all. The list is the specification's; the contracts are checked against it. */

const always = words(`
  get-current-user revoke-current-token list-projects get-project list-due list-template-keys validate-environment
  list-keys list-revisions list-proposals`);

/** Only as far as no value is shown, chosen or compared. */
const byContent = words(`
  list-versions diff-revisions compare-environments set-secret apply-changes import-secrets bulk-delete-secrets
  delete-secret promote-secrets restore-secrets create-proposal get-proposal
  withdraw-proposal rebase-proposal`);

const admitting = (how: string) =>
  routes.filter(({ access }) => 'names' in access && access.names === how).map(({ operationId }) => operationId);

const api = useApi(() => startWithoutWorkers());
let place: Workplace;
let token: Caller;
let full: Caller;

beforeAll(async () => {
  place = await openWorkplace(api);
  token = await createToken(api, place.owner, { access: 'names' });
  full = await createToken(api, place.owner, { access: 'full' });
});

describe('a token for names only', () => {
  it('may do what the specification lists', () => {
    expect(admitting('always').toSorted()).toEqual(always.toSorted());
    expect(admitting('by-content').toSorted()).toEqual(byContent.toSorted());
  });

  it.each(
    routes
      .filter(({ access }) => access.kind !== 'public' && !('names' in access))
      .map(contract => [`${contract.method} ${contract.path}`, contract] as const),
  )('is refused elsewhere, and so is a request for names only: %s', async (_, contract) => {
    const { organization, session } = place.owner;
    const { method, path, body } = documentedRequest(contract, {
      ...unknownValues(),
      orgId: organization.id,
      orgSlug: organization.slug,
      project: place.project.slug,
      slug: place.project.slug,
      env: 'dev',
      key: 'KEY',
    });
    const headers = { 'holdfast-access': 'names' };
    const answers = [
      await api.call(method, path, { as: token, body }),
      await api.call(method, path, { as: full, body, headers }),
      await api.call(method, path, { as: session, body, headers }),
    ];

    // Some may be called without any credential, and then ask for a session.
    const refused = contract.access.kind === 'admin' ? '403 admin_required' : '403 insufficient_scope';
    expect(answers.map(codeOf)).toEqual(answers.map(() => refused));
  });
});
