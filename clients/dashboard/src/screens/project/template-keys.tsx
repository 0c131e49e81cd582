import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { Button } from '../../ui/button.tsx';
import { Table } from '../../ui/table.tsx';

interface TemplateKeysProps {
  keys: readonly TemplateKey[];
  changeable: boolean;
  onEdit: (key: TemplateKey) => void;
  onRemove: (key: string) => void;
}

export function TemplateKeys({ keys, changeable, onEdit, onRemove }: TemplateKeysProps) {
  return (
    <Table
      caption="Template keys"
      rows={keys}
      keyOf={({ key }) => key}
      columns={[
        { title: 'Key', cell: ({ key }) => <span class="mono key">{key}</span> },
        { title: 'For', cell: ({ description }) => description ?? '' },
        { title: 'Pattern', cell: ({ pattern }) => (pattern ? <span class="mono">{pattern}</span> : null) },
        { title: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
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
