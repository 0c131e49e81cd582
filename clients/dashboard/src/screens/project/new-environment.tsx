import type { EnvironmentType } from '@holdfast/contracts/fields/role.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { NameAndSlug } from '../../ui/name-and-slug.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EnvironmentTypeSelect } from './environment-type-select.tsx';

interface NewEnvironmentProps {
  params: { orgId: string; slug: string };
  onClose: () => void;
  onCreated: () => Promise<void>;
}

export function NewEnvironment({ params, onClose, onCreated }: NewEnvironmentProps) {
  const [type, setType] = useState<EnvironmentType>('production');
  const create = useAction(async ({ name = '', slug }: Record<string, string>) => {
    await call('POST /v1/projects/{orgId}/{slug}/environments', {
      params,
      body: { name, type, ...(slug ? { slug } : {}) },
    });
    await onCreated();
    onClose();
  });
  return (
    <Dialog title="New environment" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <NameAndSlug error={create.error} />
        <EnvironmentTypeSelect value={type} onChange={setType} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create environment
        </FormActions>
      </Form>
    </Dialog>
  );
}
