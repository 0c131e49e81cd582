import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { Example } from '../../../ui/example.tsx';
import { Section } from '../../../ui/page.tsx';
import { findEnvironment } from '../../../ui/scope-fields.tsx';
import { Select } from '../../../ui/select.tsx';
import { type PlatformName, platformNames, platformOf, platforms } from './platforms.ts';

interface JobSetupProps {
  identity: Identity;
  organization: OwnOrganization;
  projects: readonly Project[];
}

/** What to configure on the platform, with this identity's values. */
export function JobSetup({ identity, organization, projects }: JobSetupProps) {
  const [name, setName] = useState<PlatformName>(() => platformOf(identity));
  const ids = identity.environmentIds ?? (identity.environmentId === null ? [] : [identity.environmentId]);
  const places = ids.flatMap(id => findEnvironment(id, projects) ?? []);
  // The form puts the environment that lies over the others at the end.
  const top = places.at(-1);
  const layers = places.slice(0, -1).map(({ project, environment }) => `${project}/${environment}`);
  const steps = platforms[name].setUp({
    url: window.location.origin,
    organization: organization.slug,
    project: top?.project ?? projects.find(({ id }) => id === identity.projectId)?.slug ?? 'PROJECT',
    environment: top?.environment ?? 'ENVIRONMENT',
    layers: layers.join(),
    identity,
  });
  return (
    <Section title="Set up the job" lead="None of these values is a secret.">
      <Select
        label="Platform"
        value={name}
        options={platformNames.map(one => [one, platforms[one].name] as const)}
        onChange={setName}
      />
      {steps.map(({ title, text }) => (
        <Example key={title} title={title} text={text} />
      ))}
    </Section>
  );
}
