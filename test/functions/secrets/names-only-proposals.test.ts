import { describe, expect, it } from 'vitest';
import { type Answer, type Caller, codeOf, createToken } from '#test/support/api.ts';
import { openWorkplace, useWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { expectStatus, issueToPipeline } from '#test/support/sample-requests.ts';

/* What proposals, templates and several environments tell a token for names only. */

const { api, owner, place } = useWorkplace();
const issuer = shared(startIssuer);

const namesToken = () => createToken(api, owner, { access: 'names' });
const propose = async (body: object, as: Caller = owner.session) =>
  (await expectStatus(api.post(place.at('staging', '/proposals'), body, as), 201)).body.proposal;
const at = ({ id }: { id: string }, rest = '') => place.at('staging', `/proposals/${id}${rest}`);
const keysIn = ({ created, updated, deleted, expand }: Record<string, string[] | undefined>) => [
  created,
  updated,
  deleted,
  expand,
];
/** What a proposal looks like in each response that shows it. */
async function shownTo(as: Caller, proposal: { id: string }) {
  const one = (await expectStatus(api.get(at(proposal), as), 200)).body;
  const all = (await expectStatus(api.get(place.at('staging', '/proposals'), as), 200)).body.proposals;
  const listed = all.find(({ id }: { id: string }) => id === proposal.id);
  expect(keysIn(listed)).toEqual(keysIn(one.proposal));
  return [...keysIn(one.proposal), one.stale];
}

describe('a proposal of somebody who may see values', () => {
  it('does not tell a token for names only which of them are equal', async () => {
    await place.importAll('dev', { EQUAL: 'x', OTHER: '1', NEW: '2' });
    const naming = { key: 'NAMING', value: '\u0024{OTHER}', expand: true };
    await expectStatus(place.change('dev', { set: [naming] }), 200);
    await place.importAll('staging', { EQUAL: 'x', OTHER: 'y', NAMING: 'z' });
    const proposal = await propose({ promote: { from: 'dev' } });
    const as = await namesToken();

    const shown = [['NEW'], ['NAMING', 'OTHER'], [], ['NAMING']];
    expect(await shownTo(owner.session, proposal)).toEqual([...shown, []]);
    const hidden = [['NEW'], [], [], undefined, []];
    expect(await shownTo(as, proposal)).toEqual(hidden);
    // Moving a key would tell whether the proposal updates it.
    for (const key of ['EQUAL', 'OTHER']) {
      await expectStatus(api.put(place.at('staging'), { key, generate: {} }, as), 200);
    }
    expect(await shownTo(owner.session, proposal)).toEqual([...shown, ['OTHER']]);
    expect(await shownTo(as, proposal)).toEqual(hidden);
  });

  it('is neither proposed anew nor withdrawn by a token for names only', async () => {
    await place.importAll('staging', { A: '1', B: '2' });
    const proposal = await propose({ set: [{ key: 'A', value: 'given' }] });
    const as = await namesToken();
    for (const rest of ['/rebase', '/withdraw']) {
      expect(codeOf(await api.post(at(proposal, rest), undefined, as))).toBe('403 insufficient_scope');
    }
    const { values } = (await api.get(at(proposal, '?values=true'), owner.session)).body;
    expect(values).toEqual([{ key: 'A', before: '1', after: 'given' }]);
  });

  it('looks the same whether it repeats a value or not, but shows what the service generates', async () => {
    await place.importAll('staging', { A: '1', B: '2', C: '3' });
    const generated = { key: 'C', generate: {} };
    const repeating = await propose({ set: [{ key: 'A', value: '1' }, generated] });
    const changing = await propose({ set: [{ key: 'A', value: 'other' }, generated] });
    const as = await namesToken();

    expect((await shownTo(owner.session, changing))[1]).toEqual(['A', 'C']);
    expect(await shownTo(as, changing)).toEqual([[], ['C'], [], undefined, []]);
    expect(await shownTo(as, repeating)).toEqual(await shownTo(as, changing));
  });
});

describe('a proposal of a token for names only', () => {
  it('shows all of its keys, until somebody who may see values proposes it anew', async () => {
    await place.importAll('dev', { EQUAL: 'x', OTHER: '1' });
    await place.importAll('staging', { EQUAL: 'x', OTHER: 'y' });
    const as = await namesToken();
    const proposal = await propose({ promote: { from: 'dev' } }, as);

    expect((await shownTo(as, proposal))[1]).toEqual(['EQUAL', 'OTHER']);
    await expectStatus(api.post(at(proposal, '/rebase'), undefined, as), 200);
    expect((await shownTo(as, proposal))[1]).toEqual(['EQUAL', 'OTHER']);
    await expectStatus(api.post(at(proposal, '/rebase'), undefined, owner.session), 200);
    expect((await shownTo(owner.session, proposal))[1]).toEqual(['OTHER']);
    expect((await shownTo(as, proposal))[1]).toEqual([]);
    expect(codeOf(await api.post(at(proposal, '/withdraw'), undefined, as))).toBe('403 insufficient_scope');
  });

  it('is withdrawn by it', async () => {
    await place.importAll('staging', { A: '1' });
    const as = await namesToken();
    const proposal = await propose({ set: [{ key: 'A', generate: {} }] }, as);
    const withdrawn = await expectStatus(api.post(at(proposal, '/withdraw'), undefined, as), 200);
    expect(withdrawn.body.proposal.state).toBe('withdrawn');
  });

  it('writes each of its keys when it is applied, so that versions don’t tell which were equal', async () => {
    await place.importAll('dev', { EQUAL: 'x', OTHER: '1' });
    await place.importAll('staging', { EQUAL: 'x', OTHER: 'y' });
    const as = await namesToken();
    const proposal = await propose({ promote: { from: 'dev' } }, as);
    await expectStatus(api.post(at(proposal, '/apply'), undefined, owner.session), 200);

    const { keys } = (await api.get(place.at('staging', '/keys'), as)).body;
    expect(keys).toMatchObject([
      { key: 'EQUAL', version: 2 },
      { key: 'OTHER', version: 2 },
    ]);
  });
});

describe('a rotation', () => {
  it('may have its value generated, and shows it to whoever may read', async () => {
    await place.importAll('staging', { K: 'old' });
    const rotation = await propose({ set: [{ key: 'K', generate: { length: 20 } }], purpose: 'rotation' });
    expect(rotation).toMatchObject({ purpose: 'rotation', updated: ['K'], generated: ['K'] });
    const { values } = (await api.get(at(rotation, '?values=true'), owner.session)).body;
    expect(values).toEqual([{ key: 'K', before: 'old', after: expect.stringMatching(/^\w{20}$/) }]);
    await expectStatus(api.post(at(rotation, '/apply'), undefined, owner.session), 200);

    expect(await place.values('staging')).toEqual({ K: values[0].after });
  });

  it('is closed to a token for names only', async () => {
    await place.importAll('staging', { K: 'old' });
    const as = await namesToken();
    const body = { set: [{ key: 'K', generate: {} }], purpose: 'rotation' };
    expect(codeOf(await api.post(place.at('staging', '/proposals'), body, as))).toBe('403 insufficient_scope');

    const rotation = await propose({ set: [{ key: 'K', value: 'new' }], purpose: 'rotation' });
    await expectStatus(api.put(at(rotation, '/progress'), { progress: 'started' }, owner.session), 200);
    for (const rest of ['/rebase', '/withdraw', '/apply']) {
      expect([rest, codeOf(await api.post(at(rotation, rest), undefined, as))]).toEqual([
        rest,
        '403 insufficient_scope',
      ]);
    }
    expect(codeOf(await api.put(at(rotation, '/progress'), { progress: 'changed' }, as))).toBe(
      '403 insufficient_scope',
    );
    await expectStatus(api.post(at(rotation, '/apply'), undefined, owner.session), 200);
    expect(await place.values('staging')).toEqual({ K: 'new' });
  });
});

describe('validating with a token for names only', () => {
  it('tells which values don’t match, but not why, and nothing that depends on what values name', async () => {
    const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
    // A value of 32,000 characters takes too many steps to match.
    for (const key of ['LONG', 'WRONG', 'RIGHT', 'NAMING']) {
      await expectStatus(api.post(template, { key, required: false, pattern: '(a|b|ab){1,40}' }, owner.session), 201);
    }
    await place.importAll('dev', { LONG: 'ab'.repeat(32_000), WRONG: 'c', RIGHT: 'ab' });
    const naming = { key: 'NAMING', value: '\u0024{WRONG}', expand: true };
    await expectStatus(place.change('dev', { set: [naming] }), 200);
    const invalid = async (as: Caller) => (await api.get(`${template}/validate/dev`, as)).body.invalid;

    const mismatch = 'does not match the pattern';
    expect(await invalid(owner.session)).toEqual([
      { key: 'LONG', reason: 'is too long to be checked with this pattern' },
      { key: 'NAMING', reason: mismatch },
      { key: 'WRONG', reason: mismatch },
    ]);
    expect(await invalid(await namesToken())).toEqual([
      { key: 'LONG', reason: mismatch },
      { key: 'WRONG', reason: mismatch },
    ]);
  });
});

describe('an identity for names only of several environments', () => {
  it('has names in each of them, pulls from none, also not as layers, and reaches nothing else', async () => {
    const other = await openWorkplace(api, owner);
    await place.importAll('production', { A: 'canary' });
    await other.importAll('staging', { B: 'canary' });
    const environmentIds = [place.environmentId('production'), other.environmentId('staging')];
    const as = await issueToPipeline(api, issuer, owner, { role: 'deployer', access: 'names', environmentIds });
    const reached = async (of: typeof place, env: string): Promise<string[]> => {
      const requests: [string, Promise<Answer>][] = [
        ['keys', api.get(of.at(env, '/keys'), as)],
        ['generate', api.put(of.at(env), { key: 'MADE', generate: {} }, as)],
        ['propose', api.post(of.at(env, '/proposals'), { set: [{ key: 'K', generate: {} }] }, as)],
        ['pull', api.get(of.at(env), as)],
        ['layers', api.get(of.at(env, `?layers=${other.project.slug}/staging`), as)],
        ['promote', api.post(of.at(env, '/proposals'), { promote: { from: 'dev' } }, as)],
      ];
      return Promise.all(requests.map(async ([name, answer]) => `${name}: ${codeOf(await answer)}`));
    };

    const inside = [
      'keys: 200 ok',
      'generate: 201 ok',
      'propose: 201 ok',
      'pull: 403 insufficient_scope',
      'layers: 403 insufficient_scope',
      'promote: 403 forbidden',
    ];
    expect(await reached(place, 'production')).toEqual(inside);
    expect(await reached(other, 'staging')).toEqual(inside);
    const outside = await reached(place, 'staging');
    expect(outside.map(text => text.replace(/^\w+: /, ''))).toEqual([
      '404 environment_not_found',
      '404 environment_not_found',
      '404 environment_not_found',
      '403 insufficient_scope',
      '403 insufficient_scope',
      '403 forbidden',
    ]);
  });
});
