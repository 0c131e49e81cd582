import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { mayAnywhere } from '../session.ts';

interface OrganizationPage {
  name: string;
  /** Below the organization's. */
  path: string;
  /** Limited members see the page only if they may do this for a project. Absent: never. */
  forProject?: string;
  /** What they see of it, if that is less. */
  nameForProject?: string;
  /** Not a tab: it is reached from another page. */
  within?: true;
}

const pages: readonly OrganizationPage[] = [
  { name: 'Members', path: '/members', forProject: 'grant-request', nameForProject: 'Temporary access' },
  { name: 'Who can read what', path: '/members/access', within: true },
  { name: 'Webhooks', path: '/webhooks' },
  { name: 'Identities', path: '/identities', forProject: 'list-identities' },
  { name: 'Audit', path: '/audit', forProject: 'list-audit-entries' },
  { name: 'Something leaked?', path: '/audit/exposure' },
  { name: 'Usage', path: '/billing' },
  { name: 'Settings', path: '/settings' },
  { name: 'Sign-in settings', path: '/settings/sign-in', within: true },
];

/** The member's own page. */
export const ownPath = ({ memberId }: OwnOrganization) => `/members/${memberId}`;

/** The pages of the organization for this user: a limited member sees its projects and themselves. */
export function pagesFor(organization: OwnOrganization): readonly OrganizationPage[] {
  const projects = { name: 'Projects', path: '' };
  if (!organization.limited) return [projects, ...pages];
  const ofProjects = pages
    .filter(({ forProject }) => forProject !== undefined && mayAnywhere(forProject, organization))
    .map(page => ({ ...page, name: page.nameForProject ?? page.name }));
  return [projects, ...ofProjects, { name: 'You', path: ownPath(organization) }];
}
