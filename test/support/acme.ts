import type { Api } from './api.ts';
import type { Person } from './people.ts';
import { expectStatus } from './sample-requests.ts';

interface Project {
  id: string;
  slug: string;
  environments: { id: string; slug: string }[];
}

/** The organization `acme` of the documentation, which is this person's, and its project `web-shop`. */
export async function openAcme(api: Api, { session }: Person) {
  const made = await expectStatus(api.post('/orgs', { name: 'Acme', slug: 'acme' }, session), 201);
  const organization: { id: string; slug: string } = made.body.organization;
  const shop = await expectStatus(api.post(`/projects/${organization.id}`, { name: 'Web shop' }, session), 201);
  const project: Project = shop.body.project;
  return { organization, project };
}
