import type { EnvironmentType } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ApprovalsSelect } from './approvals-select.tsx';
import { EnvironmentTypeSelect } from './environment-type-select.tsx';

interface EditEnvironmentProps {
  environment: Environment;
  params: { orgId: string; slug: string };
  owner: boolean;
  whyNot: string | undefined;
  onSaved: () => Promise<void>;
  onDelete: () => void;
}

const onlyOwnersDelete = 'Its changes need approval, so only owners can delete it.';

export function EditEnvironment({ environment, params, owner, whyNot, onSaved, onDelete }: EditEnvironmentProps) {
  const [type, setType] = useState<EnvironmentType>(environment.type);
  const [approvals, setApprovals] = useState(environment.approvals);
  const save = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/projects/{orgId}/{slug}/environments/{env}', {
      params: { ...params, env: environment.slug },
      body: {
        name,
        ...(type === environment.type ? {} : { type }),
        ...(approvals === environment.approvals ? {} : { approvals }),
      },
    });
    showToast(`Environment ${environment.slug} saved.`);
    await onSaved();
  });
  return (
    <Form label={environment.slug} onSubmit={values => void save.run(values)}>
      <p>
        <EnvironmentMark type={environment.type} name={environment.slug} />
      </p>
      <div class="grid">
        <Field label="Name" name="name" required maxLength={100} value={environment.name} error={save.error} />
        <EnvironmentTypeSelect
          value={type}
          onChange={setType}
          whyNot={owner ? undefined : 'The type decides who can read, so only owners can change it.'}
        />
        <ApprovalsSelect
          environment={environment}
          value={approvals}
          onChange={setApprovals}
          mayLower={owner}
          whyNot={whyNot}
        />
      </div>
      <Problem error={save.error} />
      <div class="actions">
        <Button type="submit" busy={save.busy} label={`Save ${environment.slug}`} disabled={whyNot !== undefined}>
          Save
        </Button>
        <Button
          kind="quiet"
          label={`Delete ${environment.slug}`}
          onClick={onDelete}
          whyNot={whyNot ?? (owner || environment.approvals === 0 ? undefined : onlyOwnersDelete)}
        >
          Delete …
        </Button>
      </div>
    </Form>
  );
}
