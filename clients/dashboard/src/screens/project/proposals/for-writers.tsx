import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { roleMay } from '../../../secrets/rights.ts';
import { EmptyPage } from '../../../ui/empty-page.tsx';
import { NoSuchEnvironment, type ProjectProps } from '../../../ui/in-project.tsx';

interface ForWritersProps extends ProjectProps {
  children: (environment: Environment) => ComponentChildren;
}

/** The proposals of an environment, for those who may write to it. */
export function ForWriters({ children, ...props }: ForWritersProps) {
  const { organization, project, parameters } = props;
  const environment = project.environments.find(({ slug }) => slug === parameters.env);
  if (environment === undefined) return <NoSuchEnvironment {...props} />;
  if (roleMay('write', organization.role, environment.type)) return <>{children(environment)}</>;
  return (
    <EmptyPage
      title="Proposals"
      reason={`As a ${organization.role}, you can’t change ${environment.slug}, nor see what others propose.`}
    />
  );
}
