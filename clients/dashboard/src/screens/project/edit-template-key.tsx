import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';

interface EditTemplateKeyProps {
  params: { orgSlug: string; project: string };
  /** The key to change; undefined for a new one. */
  known: TemplateKey | undefined;
  onClose: () => void;
  /** Resolves when the new state is on the page, so that nobody can edit the old one. */
  onSaved: () => Promise<void>;
}

export function EditTemplateKey({ params, known, onClose, onSaved }: EditTemplateKeyProps) {
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
    await onSaved();
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
