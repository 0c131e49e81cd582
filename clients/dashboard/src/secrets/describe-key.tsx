import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useAction } from '../load.ts';
import { user } from '../session.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { descriptions } from '../ui/due-panel.tsx';
import { Field } from '../ui/field.tsx';
import { Form, FormActions } from '../ui/form.tsx';
import { usePeople } from '../ui/people.ts';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';
import { changesOf, type DescriptionFields, dayOf, expiryField, fieldsOf } from './description-fields.ts';

interface DescribeKeyProps {
  params: { orgSlug: string; project: string };
  environments: readonly Environment[];
  /** The key, if it is known; undefined to add any. */
  name?: string | undefined;
  /** What the template says about the key; undefined if it does not have it. */
  known: TemplateKey | undefined;
  /** Whether a key that is added is required in every environment. */
  required: boolean;
  onClose: () => void;
  /** Resolves when the new state is on the page, so that nobody can edit the old one. */
  onSaved: () => Promise<void>;
}

/** What a key is, for all environments of its project: the template's entry for it. Only what was edited is sent. */
export function DescribeKey({ params, environments, name, known, onClose, onSaved, ...initial }: DescribeKeyProps) {
  const [required, setRequired] = useState(known?.required ?? initial.required);
  const [owner, setOwner] = useState(known?.owner ?? '');
  const save = useAction(async (values: Record<string, string>) => {
    const changes = changesOf(fieldsOf({ ...values, owner }, environments, known), known);
    if (known === undefined) {
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
      const body = { key: name ?? values.key ?? '', required, ...(given as Partial<DescriptionFields<never>>) };
      await call('POST /v1/templates/{orgSlug}/{project}', { params, body });
    } else
      await call('PATCH /v1/templates/{orgSlug}/{project}/{key}', {
        params: { ...params, key: known.key },
        body: { required, ...changes },
      });
    descriptions.value += 1;
    await onSaved();
    onClose();
  });
  const { error } = save;
  const title = known?.key ?? name;
  return (
    <Dialog
      title={
        title === undefined ? (
          'Add a key to the template'
        ) : (
          <>
            About <span class="mono key">{title}</span>
          </>
        )
      }
      onClose={onClose}
    >
      <Form onSubmit={values => void save.run(values)}>
        {title === undefined && <Field label="Key" name="key" mono required maxLength={256} error={error} />}
        <Field
          label="What is it for? (optional)"
          name="description"
          maxLength={1000}
          value={known?.description ?? ''}
          error={error}
        />
        <Owner slug={params.orgSlug} owner={owner} onChange={setOwner} />
        <Renewal {...{ environments, known, error }} />
        <Field
          label="Tags (optional)"
          name="tags"
          value={known?.tags?.join(' ') ?? ''}
          hint="Up to 10 words, such as payments. The filter finds them as tag:payments."
          error={error}
        />
        <Field
          label="Note (optional)"
          name="note"
          multiline
          rows={3}
          maxLength={4000}
          value={known?.note ?? ''}
          hint="What people should know about it. Never a value."
          error={error}
        />
        <Field
          label="Pattern (optional)"
          name="pattern"
          mono
          maxLength={1000}
          value={known?.pattern ?? ''}
          hint="A regular expression (RE2) for the whole value."
          error={error}
        />
        <Checkbox label="Required" checked={required} onChange={setRequired} hint="Every environment must have it." />
        <Problem error={error} />
        <FormActions busy={save.busy} onClose={onClose}>
          Save
        </FormActions>
      </Form>
    </Dialog>
  );
}

interface OwnerProps {
  slug: string;
  /** A user id; empty for nobody. */
  owner: string;
  onChange: (owner: string) => void;
}

/** Who renews the values. Somebody who can't be named stays until another one is chosen. */
function Owner({ slug, owner, onChange }: OwnerProps) {
  const people = usePeople(slug, true);
  const me = user.value;
  const members = people.members.map(({ userId, name, email }) => [userId, name || email] as const);
  const known = new Map<string, string>([
    ...(me === undefined ? [] : [[me.id, me.name || me.email] as const]),
    ...members,
  ]);
  if (owner !== '' && !known.has(owner)) known.set(owner, people.nameOf(owner));
  return (
    <Select
      label="Owner"
      value={owner}
      options={[['', 'nobody'], ...known]}
      onChange={onChange}
      hint="Gets an e-mail before its values are due. Without an owner, those who manage the project do."
    />
  );
}

type RenewalProps = Pick<DescribeKeyProps, 'environments' | 'known'> & { error: unknown };

/** Where a new value is made, and when it has to be. */
function Renewal({ environments, known, error }: RenewalProps) {
  const { maxAgeDays, expiresAt = {}, renewUrl } = known ?? {};
  return (
    <>
      <Field
        label="Renew at (optional)"
        name="renewUrl"
        type="url"
        mono
        maxLength={2048}
        placeholder="https://"
        value={renewUrl ?? ''}
        hint="The https address where a new value is made."
        error={error}
      />
      <Field
        label="Maximum age in days (optional)"
        name="maxAgeDays"
        type="number"
        min={1}
        max={3650}
        value={maxAgeDays === undefined ? '' : String(maxAgeDays)}
        hint="A value is due this many days after it is set."
        error={error}
      />
      <details open={Object.keys(expiresAt).length > 0}>
        <summary>Expiry dates of the current values</summary>
        <div class="grid expiries">
          {environments.map(({ id, slug }) => (
            <Field
              key={id}
              label={slug}
              name={expiryField(id)}
              type="date"
              value={dayOf(expiresAt[id])}
              error={error}
            />
          ))}
        </div>
        <p class="hint">When you renew a value, change its date too.</p>
      </details>
    </>
  );
}
