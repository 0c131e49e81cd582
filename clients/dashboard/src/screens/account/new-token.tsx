import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { session } from '../../session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { everywhere } from '../../ui/scope-fields.tsx';
import { ShownOnceDialog } from '../../ui/shown-once.tsx';
import { type TokenChoice, TokenFields, tokenBody } from './token-fields.tsx';

export function NewToken({ onClose }: { onClose: () => void }) {
  const [choice, setChoice] = useState<TokenChoice>({
    access: 'read',
    organizationId: session.value?.confinedTo?.id ?? '',
    ...everywhere,
    expiresInDays: '90',
  });
  const [token, setToken] = useState<string>();
  const create = useAction(async ({ name = '' }: Record<string, string>) => {
    const made = await call('POST /v1/auth/token', { body: tokenBody(name, choice) });
    setToken(made.token);
  });
  if (token !== undefined) {
    return <ShownOnceDialog title="Token created" name="The token" value={token} onClose={onClose} />;
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field
          label="What is it for?"
          name="name"
          required
          maxLength={100}
          placeholder="deploy pipeline"
          error={create.error}
        />
        <TokenFields choice={choice} onChange={setChoice} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create token
        </FormActions>
      </Form>
    </Dialog>
  );
}
