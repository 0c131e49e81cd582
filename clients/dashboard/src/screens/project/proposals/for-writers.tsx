import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { EmptyPage } from '../../../ui/empty-page.tsx';
import { NoSuchEnvironment, type ProjectProps } from '../../../ui/in-project.tsx';
import { type Rights, WithGrants } from '../environment-access.tsx';

interface ForWritersProps extends ProjectProps {
  children: (environment: Environment, rights: Rights) => ComponentChildren;
}

/** The proposals of an environment, for those who may write to it, by role or by a grant. */
export function ForWriters({ children, ...props }: ForWritersProps) {
  const { organization, project, parameters } = props;
  const environment = project.environments.find(({ slug }) => slug === parameters.env);
  if (environment === undefined) return <NoSuchEnvironment {...props} />;
  return (
    <WithGrants {...{ organization, project, environment }}>
      {rights =>
        rights.write ? (
          children(environment, rights)
        ) : (
          <EmptyPage
            title="Proposals"
            reason={`As a ${organization.role}, you can’t change ${environment.slug}, nor see what others propose.`}
          />
        )
      }
    </WithGrants>
  );
}
