import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { settingsBody } from './settings-body.ts';

interface ConnectionProps {
  params: { orgId: string };
  signIn: SignIn | null;
  onSaved: (signIn: SignIn) => void;
}

type RoleChoice = NonNullable<SignIn['defaultRole']> | 'none';

const roleChoices: readonly (readonly [RoleChoice, string])[] = [
  ['viewer', 'Become viewers'],
  ['developer', 'Become developers'],
  ['none', 'Need an invitation first'],
];

/** How Holdfast reaches the provider, and whom it accepts from it. */
export function Connection({ params, signIn, onSaved }: ConnectionProps) {
  const [role, setRole] = useState<RoleChoice>(signIn === null ? 'viewer' : (signIn.defaultRole ?? 'none'));
  const [trust, setTrust] = useState<Trust>({
    trustFactor: signIn?.trustFactor ?? false,
    trustEmail: signIn?.trustEmail ?? false,
    acceptRoundTrip: signIn?.acceptRoundTrip ?? false,
  });
  const [round, setRound] = useState(0);
  const save = useAction(async ({ issuer = '', clientId = '', clientSecret = '', domains = '' }: Values) => {
    const body = {
      ...(signIn === null ? {} : settingsBody(signIn)),
      issuer: issuer.trim(),
      clientId: clientId.trim(),
      ...(clientSecret === '' ? {} : { clientSecret }),
      domains: domains.split(/[\s,]+/).filter(domain => domain !== ''),
      defaultRole: role === 'none' ? null : role,
      ...trust,
    };
    onSaved((await call('PUT /v1/orgs/{orgId}/sign-in', { params, body })).signIn);
    // The secret leaves the page.
    setRound(before => before + 1);
    showToast('Provider saved.');
  });
  return (
    <Section title="Provider">
      <Form key={round} onSubmit={values => void save.run(values)}>
        <ClientFields signIn={signIn} error={save.error} />
        <Field
          label="E-mail domains"
          name="domains"
          mono
          multiline
          rows={2}
          required
          value={signIn?.domains.map(({ domain }) => domain).join('\n')}
          placeholder="example.com"
          hint="One per line. Only addresses in domains that you verify below can sign in."
          error={save.error}
        />
        <Select label="People without an invitation" value={role} options={roleChoices} onChange={setRole} />
        {trusts.map(([name, label, hint]) => (
          <Checkbox
            key={name}
            label={label}
            checked={trust[name]}
            onChange={checked => setTrust({ ...trust, [name]: checked })}
            hint={hint}
          />
        ))}
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" kind={signIn === null ? 'primary' : 'plain'} busy={save.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}

type Trust = Pick<SignIn, 'trustFactor' | 'trustEmail' | 'acceptRoundTrip'>;

const trusts: readonly (readonly [keyof Trust, string, string])[] = [
  [
    'trustFactor',
    'Trust the provider’s second factor',
    'If it reports one (amr or acr), members don’t need their own in addition.',
  ],
  [
    'trustEmail',
    'Trust addresses that the provider doesn’t call verified',
    'For Entra ID and others that don’t send email_verified. Only for a provider that belongs to your company alone.',
  ],
  [
    'acceptRoundTrip',
    'Accept a confirmation without its time',
    'For providers that don’t send auth_time: returning from the provider then counts as a confirmation.',
  ],
];

type Values = Record<string, string>;

function ClientFields({ signIn, error }: { signIn: SignIn | null; error: unknown }) {
  return (
    <>
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        mono
        required
        value={signIn?.issuer}
        placeholder="https://"
        maxLength={500}
        hint="The provider’s address, exactly as in its discovery document."
        error={error}
      />
      <Field label="Client id" name="clientId" mono required value={signIn?.clientId} maxLength={500} error={error} />
      <Field
        label={signIn?.hasClientSecret ? 'New client secret (optional)' : 'Client secret (optional)'}
        name="clientSecret"
        type="password"
        mono
        maxLength={1000}
        hint={
          signIn?.hasClientSecret
            ? 'A secret is stored and never shown. Leave this empty to keep it. A different issuer or client needs its own.'
            : 'It is stored encrypted and never shown again. Public clients have none.'
        }
        error={error}
      />
    </>
  );
}
