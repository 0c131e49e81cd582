import { expect } from 'vitest';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { buildCli, variablesOf } from './cli.ts';

/** For tests of the audit log: each has an organization of its own, whose owner the command line is. */
export function useWorkplace() {
  /** A secret's value, which no command may print. */
  const value = 'a-value-that-nothing-prints';
  const api = shared(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
  const cli = fresh(buildCli);
  const owner = fresh(seedOwner);
  const place = fresh(() => openWorkplace(api, owner));
  const variables = fresh(async () => {
    const { token } = await createToken(api, owner);
    return variablesOf(api.url, token, `${owner.organization.slug}/${place.project.slug}/dev`);
  });
  return {
    value,
    api,
    cli,
    owner,
    place,
    variables,
    tokenOf: async (person: Person, access = 'write'): Promise<{ id: string; token: string }> => {
      const { body } = await expectStatus(api.post('/auth/token', { name: 'ci', access }, person.session), 201);
      return { id: body.cliToken.id, token: body.token };
    },
    holdfast: async (...words: string[]) => {
      const ending = await cli.run(words, { env: variables });
      expect(ending.stdout + ending.stderr).not.toContain(value);
      return ending;
    },
  };
}
