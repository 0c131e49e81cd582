import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';

export function NewOrganization() {
  const create = useAction(async ({ name = '', slug }: Record<string, string>) => {
    const { organization } = await call('POST /v1/orgs', { body: { name, ...(slug ? { slug } : {}) } });
    await loadSession();
    navigate(`/organizations/${organization.slug}`);
  });
  return (
    <Page title="New organization" lead="An organization has its own projects, members, audit log and plan.">
      <Form onSubmit={values => void create.run(values)}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} />
        <Field
          label="Slug (optional)"
          name="slug"
          mono
          maxLength={48}
          hint="Stands in addresses and never changes. Made from the name if left empty."
          error={create.error}
        />
        <Problem error={create.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={create.busy}>
            Create organization
          </Button>
        </div>
      </Form>
    </Page>
  );
}
