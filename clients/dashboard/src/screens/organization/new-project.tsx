import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { NameAndSlug } from '../../ui/name-and-slug.tsx';
import { Problem } from '../../ui/problem.tsx';

export function NewProject({ organization, onClose }: { organization: OwnOrganization; onClose: () => void }) {
  const create = useAction(async ({ name = '', slug, description }: Record<string, string>) => {
    const { project } = await call('POST /v1/projects/{orgId}', {
      params: { orgId: organization.id },
      body: { name, ...(slug ? { slug } : {}), ...(description ? { description } : {}) },
    });
    onClose();
    navigate(`/organizations/${organization.slug}/projects/${project.slug}`);
  });
  return (
    <Dialog title="New project" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <NameAndSlug error={create.error} />
        <Field label="Description (optional)" name="description" maxLength={1000} error={create.error} />
        <p class="hint">It starts with three environments: dev, staging and production.</p>
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create project
        </FormActions>
      </Form>
    </Dialog>
  );
}
