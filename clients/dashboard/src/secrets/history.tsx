import { call } from '../api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Await } from '../ui/feedback.tsx';
import { Time } from '../ui/text.tsx';
import { ShowValues, useValues } from './shown.tsx';

/** Every version of a key. Values come only when asked for, by a read that is audited. */
export function History({
  place,
  name,
  onClose,
}: {
  place: { orgSlug: string; project: string; env: string };
  name: string;
  onClose: () => void;
}) {
  const versions = useValues(name, async (values, signal) => {
    const answer = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}', {
      params: { ...place, key: name },
      query: { values },
      signal,
    });
    return answer.versions;
  });
  return (
    <Dialog title={<span class="mono key">{name}</span>} size="sheet" onClose={onClose}>
      <Await of={versions.of}>
        {list => (
          <ol class="journal">
            {list.map(({ version, revision, createdAt, createdBy, deleted, value, ...rest }) => (
              <li key={version}>
                <p class="when mono">{version}</p>
                <div>
                  <p>
                    {deleted ? 'Deleted' : version === 1 ? 'Set' : 'Set again'} by {createdBy.email},{' '}
                    <Time at={createdAt} /> <span class="quiet">revision {revision}</span>
                  </p>
                  {'destroyed' in rest && rest.destroyed === true && <p class="quiet">This value was destroyed.</p>}
                  {value !== undefined && <pre class="mono value">{value}</pre>}
                </div>
              </li>
            ))}
          </ol>
        )}
      </Await>
      <ShowValues of={versions} />
    </Dialog>
  );
}
