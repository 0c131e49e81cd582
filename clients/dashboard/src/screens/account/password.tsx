import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';

export function Password() {
  const [revokeTokens, setRevokeTokens] = useState(false);
  const [round, setRound] = useState(0);
  const change = useAction(async ({ currentPassword = '', newPassword = '' }: Record<string, string>) => {
    await call('POST /v1/auth/change-password', {
      body: { currentPassword, newPassword, ...(revokeTokens ? { revokeTokens } : {}) },
    });
    setRound(before => before + 1);
    showToast('Password changed. All other sessions have ended.');
  });
  return (
    <Section
      title="Password"
      lead={
        <>
          Changing it ends every other session.
          {session.value?.provider && (
            <>
              {' '}
              If your account has none yet, <a href="/forgot-password">choose one by e-mail</a>.
            </>
          )}
        </>
      }
    >
      <Form key={round} onSubmit={values => void change.run(values)}>
        <Field
          label="Current password"
          name="currentPassword"
          type="password"
          autocomplete="current-password"
          required
          error={change.error}
        />
        <Field
          label="New password"
          name="newPassword"
          type="password"
          autocomplete="new-password"
          required
          minLength={12}
          maxLength={256}
          hint="At least 12 characters."
          error={change.error}
        />
        <Checkbox label="Revoke my tokens as well" checked={revokeTokens} onChange={setRevokeTokens} />
        <Problem error={change.error} />
        <div class="actions">
          <Button type="submit" busy={change.busy}>
            Change password
          </Button>
        </div>
      </Form>
    </Section>
  );
}
