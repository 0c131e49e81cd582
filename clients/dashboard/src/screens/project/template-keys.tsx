import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { OwnerName } from '../../ui/owner-name.tsx';
import { usePeople } from '../../ui/people.ts';
import { type Column, Table } from '../../ui/table.tsx';

interface TemplateKeysProps {
  slug: string;
  keys: readonly TemplateKey[];
  environments: readonly Environment[];
  changeable: boolean;
  onEdit: (key: TemplateKey) => void;
  onRemove: (key: string) => void;
}

export function TemplateKeys({ slug, keys, environments, changeable, onEdit, onRemove }: TemplateKeysProps) {
  const people = usePeople(
    slug,
    keys.some(({ owner }) => owner !== undefined),
  );
  const optional: readonly (readonly [uses: (key: TemplateKey) => unknown, Column<TemplateKey>])[] = [
    [
      ({ pattern }) => pattern,
      { title: 'Pattern', cell: ({ pattern }) => pattern && <span class="mono">{pattern}</span> },
    ],
    [
      ({ owner }) => owner,
      { title: 'Owner', cell: ({ owner }) => owner !== undefined && <OwnerName {...{ slug, people, owner }} /> },
    ],
    [
      ({ maxAgeDays, expiresAt }) => maxAgeDays ?? expiresAt,
      { title: 'Due', cell: key => dueInWords(key, environments) },
    ],
    [({ tags }) => tags, { title: 'Tags', cell: ({ tags = [] }) => tags.join(', ') }],
  ];
  return (
    <Table
      caption="Template keys"
      rows={keys}
      keyOf={({ key }) => key}
      columns={[
        { title: 'Key', cell: ({ key }) => <span class="mono key">{key}</span> },
        { title: 'For', cell: ({ description }) => description ?? '' },
        { title: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
        // Most templates only check keys, and need no columns for the rest.
        ...optional.filter(([uses]) => keys.some(uses)).map(([, column]) => column),
        {
          title: 'Actions',
          hiddenTitle: true,
          cell: key =>
            changeable ? (
              <>
                <Button kind="quiet" label={`Change ${key.key}`} onClick={() => onEdit(key)}>
                  Change
                </Button>
                <Button kind="quiet" label={`Remove ${key.key}`} onClick={() => onRemove(key.key)}>
                  Remove
                </Button>
              </>
            ) : null,
        },
      ]}
    />
  );
}

/** When values of a key are due: `after 90 days`, and where they expire besides. */
function dueInWords({ maxAgeDays, expiresAt = {} }: TemplateKey, environments: readonly Environment[]): string {
  const expiring = environments.filter(({ id }) => expiresAt[id] !== undefined).map(({ slug }) => slug);
  return [
    ...(maxAgeDays === undefined ? [] : [`after ${count(maxAgeDays, 'day')}`]),
    ...(expiring.length === 0 ? [] : [`at a date in ${expiring.join(', ')}`]),
  ].join(', ');
}
