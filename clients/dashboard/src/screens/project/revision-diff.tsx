import { type Answer, call } from '../../api.ts';
import { ChangedValues } from '../../secrets/changed-values.tsx';
import type { Place } from '../../secrets/place.ts';
import { Proof, type ProofLine } from '../../secrets/proof.tsx';
import { ShowValues, useValues } from '../../secrets/shown.tsx';
import { Await } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type Diff = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/diff'>;

interface RevisionDiffProps {
  place: Place;
  revision: number;
  onClose: () => void;
}

/** What a revision changed. Values are loaded only on request, with an audited read. */
export function RevisionDiff({ place, revision, onClose }: RevisionDiffProps) {
  const diff = useValues(`${revision}`, (values, signal) =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/diff', {
      params: { ...place },
      query: { from: revision - 1, to: revision, values },
      signal,
    }),
  );
  return (
    <Dialog title={`Revision ${revision}`} size="sheet" onClose={onClose}>
      <Await of={diff.of}>
        {found => <Proof from={found.from} to={found.to} empty="No value changed." lines={linesWithValues(found)} />}
      </Await>
      <ShowValues of={diff} />
    </Dialog>
  );
}

function linesWithValues({ created, updated, deleted }: Diff): ProofLine[] {
  return [
    ...created.map(({ key, after }) => ({ mark: '+' as const, key, note: <ChangedValues after={after} /> })),
    ...updated.map(({ key, before, after }) => ({
      mark: '~' as const,
      key,
      note: <ChangedValues before={before} after={after} />,
    })),
    ...deleted.map(({ key, before }) => ({ mark: '−' as const, key, note: <ChangedValues before={before} /> })),
  ].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
