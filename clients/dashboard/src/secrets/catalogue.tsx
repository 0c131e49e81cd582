import { dueAtOf } from '@holdfast/contracts/fields/due-dates.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { whyNot } from '../session.ts';
import { Await } from '../ui/await.tsx';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { DueDate } from '../ui/due-date.tsx';
import { EnvironmentMark } from '../ui/environment-mark.tsx';
import { Facts } from '../ui/facts.tsx';
import { OwnerName } from '../ui/owner-name.tsx';
import { usePeople } from '../ui/people.ts';
import { RenewLink } from '../ui/renew-link.tsx';
import { dayInWords } from '../ui/time.tsx';
import { DescribeKey } from './describe-key.tsx';
import type { Place } from './place.ts';

interface CatalogueProps {
  place: Place;
  environment: Environment;
  environments: readonly Environment[];
  role: Role;
  name: string;
  /** When the environment's value was set; undefined if it has none. */
  writtenAt: string | undefined;
  onDescribed: () => Promise<void>;
}

/** What the template says about a key: who owns it, when it is due and where it is renewed. */
export function Catalogue({ place, name, role, onDescribed, ...where }: CatalogueProps) {
  const { orgSlug, project } = place;
  const params = { orgSlug, project };
  const [editing, setEditing] = useState(false);
  const loaded = useLoad(`${orgSlug}/${project} ${name}`, async signal => {
    const { keys } = await call('GET /v1/templates/{orgSlug}/{project}', { params, signal });
    return { known: keys.find(({ key }) => key === name) };
  });
  return (
    <section>
      <h3>About this key</h3>
      <Await of={loaded} rows={3}>
        {({ known }) => (
          <>
            {known === undefined ? (
              <p class="quiet">Nobody has said what it is for, who owns it, or when it has to be renewed.</p>
            ) : (
              <Description slug={orgSlug} known={known} {...where} />
            )}
            <div class="actions">
              <Button
                onClick={() => setEditing(true)}
                whyNot={whyNot(known === undefined ? 'add-template-key' : 'update-template-key', role)}
              >
                {known === undefined ? 'Describe it' : 'Change the description'}
              </Button>
            </div>
            {editing && (
              <DescribeKey
                {...{ params, name, known }}
                environments={where.environments}
                required={false}
                onClose={() => setEditing(false)}
                onSaved={async () => {
                  await Promise.all([loaded.reload(), onDescribed()]);
                }}
              />
            )}
          </>
        )}
      </Await>
    </section>
  );
}

interface DescriptionProps extends Pick<CatalogueProps, 'environment' | 'environments' | 'writtenAt'> {
  slug: string;
  known: TemplateKey;
}

function Description({ slug, known, environment, environments, writtenAt }: DescriptionProps) {
  const { description, owner, renewUrl, tags = [], note } = known;
  const people = usePeople(slug, owner !== undefined);
  return (
    <Facts
      facts={[
        ...(description ? [['For', description] as const] : []),
        ['Owner', owner === undefined ? 'nobody' : <OwnerName {...{ slug, people, owner }} />],
        ['Due', <Due {...{ known, environment, writtenAt }} />],
        ['Renew at', renewUrl === undefined ? 'not set' : <RenewLink to={renewUrl} />],
        ...(known.expiresAt === undefined
          ? []
          : [['Expires', <Expiries expiresAt={known.expiresAt} environments={environments} />] as const]),
        ...(tags.length > 0 ? [['Tags', tags.join(', ')] as const] : []),
        ...(note ? [['Note', <span class="note-text">{note}</span>] as const] : []),
      ]}
    />
  );
}

/** When the value is due in this environment, and why. */
function Due({ known, environment, writtenAt }: Pick<DescriptionProps, 'known' | 'environment' | 'writtenAt'>) {
  const { maxAgeDays = 0, expiresAt } = known;
  const expiry = expiresAt?.[environment.id];
  const dueAt = writtenAt === undefined ? null : dueAtOf(known, environment.id, writtenAt);
  const age = count(maxAgeDays, 'day');
  if (dueAt === null) {
    // Someone who can't read the environment doesn't know when its value was set.
    const reasons = [
      ...(expiry === undefined ? [] : ['when it expires']),
      ...(maxAgeDays ? [`${age} after it is set`] : []),
    ];
    return <>{reasons.join(' or ') || 'never'}</>;
  }
  const expires = expiry !== undefined && Date.parse(expiry) === Date.parse(dueAt);
  const isOver = Date.parse(dueAt) <= Date.now();
  return (
    <>
      <DueDate at={dueAt} />
      <span class="quiet">, {expires ? `when it ${isOver ? 'expired' : 'expires'}` : `${age} after it was set`}</span>
    </>
  );
}

function Expiries({
  expiresAt,
  environments,
}: { expiresAt: Record<string, string> } & Pick<DescriptionProps, 'environments'>) {
  return (
    <ul>
      {environments.map(({ id, slug, type }) => {
        const at = expiresAt[id];
        return (
          at !== undefined && (
            <li key={id}>
              <EnvironmentMark type={type} name={slug} /> <time dateTime={at}>{dayInWords(at)}</time>
            </li>
          )
        );
      })}
    </ul>
  );
}
