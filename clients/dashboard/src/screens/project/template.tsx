import { useState } from 'preact/hooks';
import type { TemplateKey } from '../../../../../lib/contracts/templates/template-key.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import '../../ui/figures.css';
import '../../ui/journal.css';
import './template.css';

export function Template({ organization, project }: ProjectProps) {
  const params = { orgSlug: organization.slug, project: project.slug };
  const [editing, setEditing] = useState<TemplateKey | 'new'>();
  const [removing, setRemoving] = useState<string>();
  const loaded = useLoad(project.id, async signal => {
    const [{ keys }, ...results] = await Promise.all([
      call('GET /v1/templates/{orgSlug}/{project}', { params, signal }),
      ...project.environments.map(environment =>
        call('GET /v1/templates/{orgSlug}/{project}/validate/{env}', {
          params: { ...params, env: environment.slug },
          signal,
        }),
      ),
    ]);
    return { keys, results };
  });
  const whyNot = may('add-template-key', organization.role) ? undefined : whoMay('add-template-key');
  return (
    <Page
      title={`Template · ${project.slug}`}
      heading="Template"
      lead="The keys that every environment of this project should have."
      actions={
        <Button kind="primary" onClick={() => setEditing('new')} whyNot={whyNot}>
          Add key
        </Button>
      }
    >
      <Await of={loaded}>
        {({ keys, results }) => (
          <>
            {keys.length === 0 ? (
              <Empty title="The template names no keys yet." />
            ) : (
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
                      whyNot === undefined ? (
                        <>
                          <Button kind="quiet" label={`Change ${key.key}`} onClick={() => setEditing(key)}>
                            Change
                          </Button>
                          <Button kind="quiet" label={`Remove ${key.key}`} onClick={() => setRemoving(key.key)}>
                            Remove
                          </Button>
                        </>
                      ) : null,
                  },
                ]}
              />
            )}
            {keys.length > 0 && (
              <Section title="How the environments compare">
                <ul class="verdicts">
                  {project.environments.map((environment, index) => {
                    const result = results[index];
                    if (result === undefined) return null;
                    return (
                      <li key={environment.id} class={`railed ${environment.type}`}>
                        <p class="figure">
                          <EnvironmentMark type={environment.type} name={environment.slug} />
                          {result.valid ? (
                            <span class="good">✓ as it should be</span>
                          ) : (
                            <span class="bad">× {verdictOn(result)}</span>
                          )}
                        </p>
                        {result.missing.length > 0 && (
                          <p>
                            <span class="quiet">missing</span>{' '}
                            <span class="mono keys">{result.missing.join('  ')}</span>
                          </p>
                        )}
                        {result.invalid.map(({ key, reason }) => (
                          <p key={key}>
                            <span class="mono key">{key}</span> {reason}
                          </p>
                        ))}
                        {result.undeclared !== null && result.undeclared.length > 0 && (
                          <p class="quiet">{count(result.undeclared.length, 'key')} beyond the template</p>
                        )}
                      </li>
                    );
                  })}
                </ul>
              </Section>
            )}
          </>
        )}
      </Await>
      {editing !== undefined && (
        <EditKey
          params={params}
          known={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSaved={() => void loaded.reload()}
        />
      )}
      {removing !== undefined && (
        <Confirm
          title="Remove from the template"
          action="Remove"
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/templates/{orgSlug}/{project}/{key}', { params: { ...params, key: removing } });
            await loaded.reload();
          }}
        >
          <p>
            <span class="mono key">{removing}</span> is no longer expected. Secrets of this key stay as they are.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function verdictOn({ missing, invalid }: { missing: readonly unknown[]; invalid: readonly unknown[] }): string {
  const parts = [
    ...(missing.length > 0 ? [`${count(missing.length, 'key')} missing`] : []),
    ...(invalid.length > 0 ? [`${count(invalid.length, 'value')} against the pattern`] : []),
  ];
  return parts.join(', ');
}

function EditKey({
  params,
  known,
  onClose,
  onSaved,
}: {
  params: { orgSlug: string; project: string };
  known: TemplateKey | undefined;
  onClose: () => void;
  onSaved: () => void;
}) {
  const [required, setRequired] = useState(known?.required ?? true);
  const save = useAction(async ({ key = '', description = '', pattern = '' }: Record<string, string>) => {
    if (known === undefined)
      await call('POST /v1/templates/{orgSlug}/{project}', {
        params,
        body: { key, required, ...(description === '' ? {} : { description }), ...(pattern === '' ? {} : { pattern }) },
      });
    else
      await call('PATCH /v1/templates/{orgSlug}/{project}/{key}', {
        params: { ...params, key: known.key },
        body: { required, description: description || null, pattern: pattern || null },
      });
    onSaved();
    onClose();
  });
  return (
    <Dialog title={known === undefined ? 'Add a key to the template' : known.key} onClose={onClose}>
      <Form onSubmit={values => void save.run(values)}>
        {known === undefined && <Field label="Key" name="key" mono required maxLength={256} error={save.error} />}
        <Field
          label="What is it for? (optional)"
          name="description"
          maxLength={1000}
          value={known?.description ?? ''}
          error={save.error}
        />
        <Field
          label="Pattern (optional)"
          name="pattern"
          mono
          maxLength={1000}
          value={known?.pattern ?? ''}
          hint="A regular expression (RE2) for the whole value."
          error={save.error}
        />
        <Checkbox label="Required" checked={required} onChange={setRequired} />
        <Problem error={save.error} />
        <FormActions busy={save.busy} onClose={onClose}>
          Save
        </FormActions>
      </Form>
    </Dialog>
  );
}
