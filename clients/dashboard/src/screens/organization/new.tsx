import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { NameAndSlug } from '../../ui/name-and-slug.tsx';
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
        <NameAndSlug error={create.error} slugHint="Derived from the name if left empty." />
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
