import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/form.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { TokenFields, type TokenRules } from './token-fields.tsx';

interface EditIdentityProps {
  identity: Identity;
  params: { orgId: string; identityId: string };
  onSaved: () => Promise<void>;
}

export function EditIdentity({ identity, params, onSaved }: EditIdentityProps) {
  const [rules, setRules] = useState<TokenRules>(identity);
  const save = useAction(async () => {
    const { singleUse, maxAssertionAgeMinutes, tokenMinutes } = rules;
    const body = { singleUse, maxAssertionAgeMinutes, tokenMinutes };
    await call('PATCH /v1/identities/{orgId}/{identityId}', { params, body });
    showToast('Identity saved.');
    await onSaved();
  });
  return (
    <Section title="Tokens">
      <Form onSubmit={() => void save.run()}>
        <TokenFields rules={rules} onChange={setRules} error={save.error} />
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" busy={save.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}
