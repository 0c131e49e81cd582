import { subjects } from 'virtual:contracts';
import { searchParameters } from '../../../router.ts';
import { EmptyPage } from '../../../ui/empty-page.tsx';
import { ForRoles } from '../../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { CredentialScreen } from './credential.tsx';
import { FrontDoor } from './front-door.tsx';
import { ReadersScreen } from './readers.tsx';

/** What a credential saw (`?token=…`), who knows a secret (`?environment=…&key=…`), or the question what leaked. */
export function ExposureScreen({ organization }: OrganizationProps) {
  const query = searchParameters();
  if (![...Object.values(subjects), 'key'].some(name => query.has(name)))
    return <FrontDoor organization={organization} />;
  return (
    <ForRoles
      organization={organization}
      operation="get-exposure"
      heading="What was seen"
      doing="see what a credential saw"
    >
      <Asked organization={organization} />
    </ForRoles>
  );
}

function Asked({ organization }: Pick<OrganizationProps, 'organization'>) {
  const query = searchParameters();
  const environment = query.get('environment');
  const key = query.get('key');
  if (environment !== null && key !== null)
    return <ReadersScreen key={`${environment} ${key}`} organization={organization} asked={{ environment, key }} />;
  for (const type of Object.values(subjects)) {
    const id = query.get(type);
    if (id !== null) return <CredentialScreen key={id} organization={organization} subject={{ type, id }} />;
  }
  return (
    <EmptyPage
      title={`What was seen · ${organization.name}`}
      heading="What was seen"
      reason="This link does not say which secret it is about."
    />
  );
}
