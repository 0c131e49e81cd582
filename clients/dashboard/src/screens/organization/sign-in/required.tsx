import type { SignIn } from '@holdfast/contracts/organizations/sign-in-settings.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Section } from '../../../ui/page.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { settingsBody } from './settings-body.ts';

interface RequiredProps {
  params: { orgId: string };
  signIn: SignIn;
  onSaved: (signIn: SignIn) => void;
}

/** Whether members can also log in without the provider. */
export function Required({ params, signIn, onSaved }: RequiredProps) {
  const [confirming, setConfirming] = useState(false);
  const words = signIn.required ? requiredWords : optionalWords;
  return (
    <Section title="Other log-ins" lead={words.lead}>
      <Button onClick={() => setConfirming(true)}>{words.action}</Button>
      {confirming && (
        <Confirm
          title={words.action}
          action={words.confirm}
          danger={!signIn.required}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            const body = { ...settingsBody(signIn), required: !signIn.required };
            onSaved((await call('PUT /v1/orgs/{orgId}/sign-in', { params, body })).signIn);
            showToast(words.done);
          }}
        >
          <p>{words.effect}</p>
        </Confirm>
      )}
    </Section>
  );
}

const requiredWords = {
  lead: 'Members have to sign in through the provider. Owners can also log in with a passkey or an authenticator app that was added before this requirement, or at least seven days ago. Each such log-in is mailed to every owner.',
  action: 'Stop requiring the provider',
  confirm: 'Stop requiring it',
  effect: 'Members can log in with a password or a passkey again.',
  done: 'The provider is no longer required.',
};

const optionalWords = {
  lead: 'Members can also log in with a password or a passkey. You can require the provider for everyone.',
  action: 'Require the provider',
  confirm: 'Require it',
  effect:
    'Sessions that did not come through the provider are rejected from now on, and so are tokens created in them. Pipelines that use such tokens stop working. If the provider fails, owners can still log in with their passkey or authenticator app; each such log-in is mailed to every owner. If you added yours less than seven days ago, log in with it again.',
  done: 'The provider is required from now on.',
};
