import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { StepUp } from './factors/step-up.tsx';
import { match, navigate, pathname } from './router.ts';
import { Account } from './screens/account/account.tsx';
import { AuthorizeCli } from './screens/account/authorize-cli.tsx';
import { Tokens } from './screens/account/tokens.tsx';
import { AdminOrganization } from './screens/admin/organization.tsx';
import { AdminOrganizations } from './screens/admin/organizations.tsx';
import { AdminOverview } from './screens/admin/overview.tsx';
import { AdminPlans } from './screens/admin/plans.tsx';
import { AccessScreen } from './screens/organization/access/access.tsx';
import { Audit } from './screens/organization/audit/audit.tsx';
import { Billing } from './screens/organization/billing.tsx';
import { ExposureScreen } from './screens/organization/exposure/exposure.tsx';
import { Identities } from './screens/organization/identities/identities.tsx';
import { IdentityScreen } from './screens/organization/identities/identity.tsx';
import { NewIdentity } from './screens/organization/identities/new-identity.tsx';
import { MemberScreen } from './screens/organization/member/member.tsx';
import { Members } from './screens/organization/members.tsx';
import { NewOrganization } from './screens/organization/new.tsx';
import { Projects } from './screens/organization/projects.tsx';
import { OrganizationSettings } from './screens/organization/settings.tsx';
import { SignInSettings } from './screens/organization/sign-in/sign-in.tsx';
import { WebhookScreen } from './screens/organization/webhook.tsx';
import { Webhooks } from './screens/organization/webhooks.tsx';
import { Compare } from './screens/project/compare.tsx';
import { EnvironmentScreen } from './screens/project/environment.tsx';
import { ProjectOverview } from './screens/project/overview.tsx';
import { People } from './screens/project/people.tsx';
import { Promote } from './screens/project/promote.tsx';
import { ProposalScreen } from './screens/project/proposals/proposal.tsx';
import { Proposals } from './screens/project/proposals/proposals.tsx';
import { Revisions } from './screens/project/revisions.tsx';
import { ProjectSettings } from './screens/project/settings.tsx';
import { Template } from './screens/project/template.tsx';
import { organizationBySlug, session } from './session.ts';
import type { OrganizationProps } from './ui/in-organization.tsx';
import { InOrganization } from './ui/in-organization.tsx';
import type { ProjectProps } from './ui/in-project.tsx';
import { asInProject, InProject } from './ui/in-project.tsx';
import { NothingHere, named } from './ui/nothing-here.tsx';
import { Shell } from './ui/shell.tsx';

const plain: readonly (readonly [string, ComponentType<{ parameters: Record<string, string> }>])[] = [
  ['/account', Account],
  ['/account/tokens', Tokens],
  ['/authorize-cli', AuthorizeCli],
  ['/organizations', NewOrganization],
  ['/admin', AdminOverview],
  ['/admin/organizations', AdminOrganizations],
  ['/admin/organizations/:id', AdminOrganization],
  ['/admin/plans', AdminPlans],
];

const ofOrganization: readonly (readonly [string, ComponentType<OrganizationProps>])[] = [
  ['/organizations/:org', Projects],
  ['/organizations/:org/members', Members],
  ['/organizations/:org/members/access', AccessScreen],
  ['/organizations/:org/members/:id', MemberScreen],
  ['/organizations/:org/identities', Identities],
  ['/organizations/:org/identities/new', NewIdentity],
  ['/organizations/:org/identities/:id', IdentityScreen],
  ['/organizations/:org/webhooks', Webhooks],
  ['/organizations/:org/webhooks/:id', WebhookScreen],
  ['/organizations/:org/audit', Audit],
  ['/organizations/:org/audit/exposure', ExposureScreen],
  ['/organizations/:org/billing', Billing],
  ['/organizations/:org/settings', OrganizationSettings],
  ['/organizations/:org/settings/sign-in', SignInSettings],
];

const base = '/organizations/:org/projects/:p';
const ofProject: readonly (readonly [string, ComponentType<ProjectProps>])[] = [
  [base, ProjectOverview],
  [`${base}/environments/:env`, EnvironmentScreen],
  [`${base}/environments/:env/revisions`, Revisions],
  [`${base}/environments/:env/proposals`, Proposals],
  [`${base}/environments/:env/proposals/:id`, ProposalScreen],
  [`${base}/compare/:a/:b`, Compare],
  [`${base}/compare`, Compare],
  [`${base}/promote`, Promote],
  [`${base}/template`, Template],
  [`${base}/people`, People],
  [`${base}/settings`, ProjectSettings],
];

export function Screens() {
  const path = pathname();
  const first = session.value?.organizations[0]?.slug;
  useEffect(() => {
    if (path === '/') navigate(first === undefined ? '/organizations' : `/organizations/${first}`, { replace: true });
  }, [path, first]);
  useEffect(() => {
    // The clicked link may no longer exist, so the focus moves to the new page.
    if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <Shell>{path === '/' ? null : <Screen path={path} />}</Shell>
      <StepUp />
    </>
  );
}

function Screen({ path }: { path: string }) {
  for (const [pattern, Component] of plain) {
    const parameters = match(pattern, path);
    if (parameters !== undefined) return <Component parameters={parameters} />;
  }
  for (const [pattern, Component] of ofProject) {
    const parameters = match(pattern, path);
    if (parameters === undefined) continue;
    const organization = organizationBySlug(parameters.org ?? '');
    if (organization === undefined) return <NotHere organization={parameters.org} />;
    return (
      <InProject key={`${parameters.org}/${parameters.p}`} organization={organization} slug={parameters.p ?? ''}>
        {(project, reload) => (
          <Component
            organization={asInProject(organization, project)}
            project={project}
            parameters={parameters}
            reload={reload}
          />
        )}
      </InProject>
    );
  }
  for (const [pattern, Component] of ofOrganization) {
    const parameters = match(pattern, path);
    if (parameters === undefined) continue;
    const organization = organizationBySlug(parameters.org ?? '');
    if (organization === undefined) return <NotHere organization={parameters.org} />;
    return (
      <InOrganization organization={organization}>
        <Component key={path} organization={organization} parameters={parameters} />
      </InOrganization>
    );
  }
  return <NotHere />;
}

function NotHere({ organization }: { organization?: string | undefined }) {
  const isUnknown = organization !== undefined && organizationBySlug(organization) === undefined;
  return (
    <NothingHere
      reason={
        isUnknown
          ? `There is no ${named('organization', organization)}, or you are not a member of it.`
          : 'This page does not exist.'
      }
      {...(isUnknown
        ? {
            wrong: organization,
            names: session.value?.organizations.map(({ slug }) => slug) ?? [],
            pathOf: (slug: string) => `/organizations/${slug}`,
          }
        : {})}
      back={['Go to your projects', '/']}
    />
  );
}
