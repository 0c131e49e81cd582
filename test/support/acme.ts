import { type Api, createProject } from './api.ts';
import type { Person } from './people.ts';
import { expectStatus } from './sample-requests.ts';

/** The organization `acme` of the documentation, which is this person's, and its project `web-shop`. */
export async function openAcme(api: Api, { session }: Person) {
  const made = await expectStatus(api.post('/orgs', { name: 'Acme', slug: 'acme' }, session), 201);
  const organization: { id: string; slug: string } = made.body.organization;
  return { organization, project: await createProject(api, { organization, session }, 'Web shop') };
}
