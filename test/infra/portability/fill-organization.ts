import { randomUUID } from 'node:crypto';
import { type Api, createProject } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join, makeIdentity } from '#test/support/sample-requests.ts';

export interface Size {
  environments: number;
  /** In each environment. */
  versions: number;
}

const keysAtOnce = 100;

const odd = [
  '',
  'a\nb\r\n\t\u0000',
  '\u2028 and \u2029',
  '"quoted" \\ $X',
  '\u{1f511}'.repeat(50),
  'x'.repeat(64 * 1024),
];

/** An organization with everything that an export could lose. */
export async function fillOrganization(api: Api, owner: Person, { environments, versions }: Size) {
  const { organization, session } = owner;
  const place = await openWorkplace(api, owner);
  const done = (answer: ReturnType<Api['get']>) => expectStatus(answer, 200, 201, 202);
  const roles = ['admin', 'developer', 'viewer'] as const;
  const members: Record<string, Person> = { owner };
  for (const role of roles) members[role] = await place.member(role);

  await done(
    place.importAll(
      'dev',
      odd.map((value, index) => ({ key: `ODD_${index}`, value })),
    ),
  );
  await done(place.set('dev', 'KEPT', 'first', { body: { message: 'Why “this”?' } }));
  for (const value of ['second', 'third']) await done(place.set('dev', 'KEPT', value));
  await done(place.destroy('dev', 'KEPT', { versions: [1] }));
  const naming = { key: 'NAMES', value: 'it is \u0024{KEPT}', expand: true };
  await done(place.importAll('dev', [naming]));
  await done(place.importAll('dev', [{ ...naming, value: 'it was \u0024{KEPT}' }]));
  await done(place.destroy('dev', 'NAMES', { versions: [1] }));
  await done(place.remove('dev', 'ODD_1'));
  await done(place.set('dev', 'ODD_1', 'again', { as: members.developer?.session ?? session }));
  await done(place.remove('dev', 'ODD_2'));
  await done(place.promote({ from: 'dev', to: 'staging' }));
  await done(place.bulkDelete('staging', ['ODD_0', 'ODD_3']));
  await done(place.restore('staging', { revision: 1 }));
  await done(place.rotateKey());
  await place.whenRotated();
  await done(place.set('dev', 'AFTER', 'the rotation'));
  await applyProposal(api, place, members);

  const template = `/templates/${organization.slug}/${place.project.slug}`;
  const described = {
    owner: members.developer?.user.id,
    tags: ['kept', 'shown'],
    renewUrl: 'https://example.com/keys',
    maxAgeDays: 20,
    expiresAt: { [place.environmentId('staging')]: '2100-01-31T09:26:53.589Z' },
    note: 'Ask first.',
  };
  await done(api.post(template, { key: 'KEPT', description: 'Kept', pattern: '^t', ...described }, session));
  await done(api.post(template, { key: 'MISSING', required: false }, session));
  const gone = await done(
    api.post(`${place.projectPath}/environments`, { name: 'Gone', type: 'development' }, session),
  );
  await done(api.delete(`${place.projectPath}/environments/${gone.body.environment.slug}`, session));

  const networks = { people: ['127.0.0.0/8', '::1/128'], machines: null };
  await done(api.put(`/orgs/${organization.id}/networks`, networks, session));

  const webhooks = `/webhooks/${organization.id}`;
  const hook = {
    url: 'https://hooks.example.com/one',
    events: ['secret.updated'],
    projectId: place.project.id,
    format: 'slack',
  };
  const { webhook, signingSecret } = (await done(api.post(webhooks, hook, session))).body;
  const identity = await makeIdentity(api, owner);
  await makeIdentity(api, owner, { environmentIds: ['dev', 'staging'].map(place.environmentId) });
  await done(api.post(`/members/${organization.id}/invite`, { email: 'guest@example.com', role: 'viewer' }, session));
  const limited = { limited: true, projectRoles: [{ projectId: place.project.id, role: 'developer' }] };
  const invited = { email: 'contractor@example.com', role: 'viewer', ...limited };
  await done(api.post(`/members/${organization.id}/invite`, invited, session));
  const left = await seedPerson({ name: 'Left' });
  await join(api, owner, left, 'viewer');
  const { members: listed } = (await done(api.get(`/members/${organization.id}`, session))).body;
  const membership = listed.find(({ email }: { email: string }) => email === left.email);
  await done(api.delete(`/members/${organization.id}/${membership.id}`, session));
  const viewer = listed.find(({ email }: { email: string }) => email === members.viewer?.email);
  await done(api.put(`/members/${organization.id}/${viewer.id}/projects`, limited, session));

  const many = await createProject(api, owner, 'Many');
  const secretsOf = `/secrets/${organization.slug}/${many.slug}`;
  const slugs = ['dev', 'staging', 'production'];
  for (let index = slugs.length + 3; index < environments; index += 1) {
    const body = { name: `Env ${index}`, slug: `env-${index}`, type: 'production' };
    await done(api.post(`/projects/${organization.id}/${many.slug}/environments`, body, session));
    slugs.push(body.slug);
  }
  for (const slug of slugs) {
    for (let round = 0; round * keysAtOnce < versions; round += 1) {
      const secrets = Array.from({ length: Math.min(keysAtOnce, versions) }, (_, index) => {
        return { key: `KEY_${index}`, value: `${round} ${index} ${randomUUID()}` };
      });
      await done(api.post(`${secretsOf}/${slug}/bulk`, { secrets }, session));
    }
  }
  const viewerPath = `/members/${organization.id}/${viewer.id}`;
  return { place, many, slugs, members, viewerPath, webhook, signingSecret: signingSecret as string, identity };
}

/** A change that somebody approved, in an environment that requires it from then on, and one that is still open. */
async function applyProposal(api: Api, place: Workplace, { developer, admin, owner }: Record<string, Person>) {
  const path = place.at('staging', '/proposals');
  const environment = `${place.projectPath}/environments/staging`;
  await expectStatus(api.patch(environment, { approvals: 1 }, owner?.session), 200);
  const propose = async (key: string) => {
    const body = { set: [{ key, value: 'proposed' }], message: 'Four eyes' };
    return (await expectStatus(api.post(path, body, developer?.session), 201)).body.proposal;
  };
  const { id, digest } = await propose('APPROVED');
  const { body } = await expectStatus(api.post(`${path}/${id}/approve`, { digest }, admin?.session), 200);
  if (body.proposal.state !== 'applied') throw new Error(JSON.stringify(body));
  await propose('OPEN');
}

export type Filled = Awaited<ReturnType<typeof fillOrganization>>;
