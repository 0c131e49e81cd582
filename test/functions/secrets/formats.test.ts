import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ServedFormat } from '#lib/contracts/secrets/secrets.ts';
import { codeOf, createToken } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';

const { api, owner, place } = useWorkplace();
const token = shared(() => createToken(api, owner));

/** A pull as curl sends it. */
async function pull(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}${place.at('dev', query)}`, {
    headers: { authorization: `Bearer ${token.token}`, ...headers },
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, text };
}

async function refusalOf(query: string) {
  const { status, text } = await pull(query);
  return { status, text, ...JSON.parse(text).error };
}

const auditOfPulls = () => place.entriesOf('secret.pulled');

describe('a pull with a format', () => {
  it('returns one flat object as JSON, with the revision as ETag', async () => {
    await place.importAll('dev', { B: 'two\nlines', A: 'one' });
    const { status, type, headers, text } = await pull('?format=json');
    expect([status, type, headers.get('etag')]).toEqual([200, 'application/json', '"1"']);
    expect([JSON.parse(text), Object.keys(JSON.parse(text))]).toEqual([{ A: 'one', B: 'two\nlines' }, ['A', 'B']]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['env', 'text/plain; charset=utf-8', 'A=one\n'],
    ['sh', 'text/plain; charset=utf-8', "export A='one'\n"],
    ['tfvars', 'text/plain; charset=utf-8', '{\n  "A": "one"\n}\n'],
    ['yaml', 'application/yaml', '"A": "one"\n'],
  ])('returns %s as %s', async (name, contentType, content) => {
    await place.set('dev', 'A', 'one');
    const { status, type, text } = await pull(`?format=${name}`);
    expect([status, type, text]).toEqual([200, contentType, content]);
  });

  it('names a Kubernetes Secret after the project and the environment', async () => {
    await place.set('dev', 'A', 'one');
    const { type, text } = await pull('?format=k8s');
    expect(type).toBe('application/yaml');
    expect(parse(text)).toMatchObject({ metadata: { name: `${place.project.slug}.dev` }, data: { A: 'b25l' } });
  });

  it('selects keys, a prefix or a revision like any pull', async () => {
    await place.importAll('dev', { A: 'one', B: 'two', BC: 'three' });
    await place.set('dev', 'A', 'changed');
    expect((await pull('?format=env&keys=BC,A')).text).toBe('A=changed\nBC=three\n');
    expect((await pull('?format=env&search=B')).text).toBe('B=two\nBC=three\n');
    const past = await pull('?format=env&revision=1&keys=A');
    expect([past.text, past.headers.get('etag')]).toEqual(['A=one\n', null]);
    expect((await refusalOf('?format=env&keys=MISSING')).code).toBe('secret_not_found');
  });

  it('answers 304 without a body to the revision that the caller has', async () => {
    await place.set('dev', 'A', 'one');
    const { status, text } = await pull('?format=sh', { 'if-none-match': '"1"' });
    expect([status, text]).toEqual([304, '']);
    expect((await pull('?format=sh', { 'if-none-match': '"0"' })).status).toBe(200);
  });

  it('is audited like any pull', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await pull('?format=sh');
    await pull('?format=sh&keys=B');
    const [named, whole] = await auditOfPulls();
    expect(whole).toMatchObject({ action: 'secret.pulled', revision: 1, environment: { slug: 'dev' } });
    expect([whole?.keys, named?.keys]).toEqual([undefined, ['B']]);
  });

  it('returns an empty environment too', async () => {
    for (const name of ServedFormat.options) expect((await pull(`?format=${name}`)).status).toBe(200);
  });
});

describe('a format that can’t hold a value', () => {
  it('is refused with every key and reason, without a value, and not audited as delivered', async () => {
    await place.importAll('dev', { PLAIN: 'fine', PEM: 'first-secret\nsecond', CR: 'third-secret\r' });
    const { status, code, details, text } = await refusalOf('?format=docker');
    expect([status, code]).toEqual([422, 'not_representable']);
    expect(details.keys).toEqual([
      { key: 'CR', reason: 'ends with a carriage return' },
      { key: 'PEM', reason: 'contains a line break' },
    ]);
    expect(text).not.toMatch(/first-secret|second|third-secret|fine/);
    expect(await auditOfPulls()).toEqual([]);
    expect((await pull('?format=docker&keys=PLAIN')).text).toBe('PLAIN=fine\n');
    expect(await auditOfPulls()).toHaveLength(1);
  });

  it('is refused as a whole if the text is larger than a response, and says to use keys', async () => {
    // Each of these characters takes six bytes in ASCII, as tfvars writes it.
    for (const prefix of ['BIG_', 'HUGE_']) {
      expect((await place.importAll('dev', numbered(32, 'é'.repeat(20_000), prefix))).status).toBe(200);
    }
    const { status, code, message } = await refusalOf('?format=tfvars');
    expect([status, code]).toEqual([413, 'payload_too_large']);
    expect(message).toContain('keys');
    expect(await auditOfPulls()).toEqual([]);
    expect((await pull('?format=tfvars&keys=BIG_0')).status).toBe(200);
    expect((await pull('?format=json')).status).toBe(200);
  });
});

describe('a format that can’t be served', () => {
  it.each(['github', 'ENV', 'toString', ''])('is refused with the list of formats: %j', async name => {
    const { status, code, details } = await refusalOf(`?format=${name}`);
    expect([status, code, details[0].path]).toEqual([400, 'invalid_request', 'format']);
    for (const known of ServedFormat.options) expect(details[0].message).toContain(known);
    expect(details[0].message).not.toContain('github');
  });

  it.each(['limit=10', 'offset=0', 'limit=10&offset=5'])('is refused in pages: %s', async page => {
    const { status, details } = await refusalOf(`?format=env&${page}`);
    expect([status, details[0].path]).toEqual([400, 'format']);
  });

  it('is refused to those who may not read, before anything about the values shows', async () => {
    await place.set('production', 'PEM', 'a\nb');
    const viewer = await place.member('viewer');
    expect(codeOf(await place.pull('production', '?format=docker', { as: viewer.session }))).toBe('403 forbidden');
  });
});
