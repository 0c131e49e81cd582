import type { OwnUser } from '@holdfast/contracts/auth/account.ts';
import type { Passkey } from '@holdfast/contracts/auth/passkeys.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { type Loaded, useLoad } from '../../load.ts';
import { loadSession } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Section } from '../../ui/page.tsx';
import { Passkeys } from './passkeys.tsx';
import { type Open, SecondFactorDialog } from './second-factor-dialog.tsx';
import './second-factors.css';

type Factors = OwnUser['secondFactors'];

/** What protects the account if its password is stolen. */
export function SecondFactors({ factors }: { factors: Factors }) {
  const [open, setOpen] = useState<Open>();
  const passkeys: Loaded<Passkey[]> = useLoad(
    'passkeys',
    async signal => (await call('GET /v1/auth/passkeys', { signal })).passkeys,
  );
  const changed = async (codes?: readonly string[]) => {
    setOpen(codes === undefined ? undefined : { kind: 'codes', codes });
    await Promise.all([passkeys.reload(), loadSession()]);
  };
  return (
    <Section
      title="Second factors"
      lead="With a second factor, a stolen password is not enough to log in. No one can turn it off for you, so keep the recovery codes."
    >
      <Passkeys passkeys={passkeys} onOpen={setOpen} />
      <AuthenticatorApp isSetUp={factors.totp} onOpen={setOpen} />
      {(factors.totp || factors.passkeys > 0) && <CodesLeft left={factors.recoveryCodesLeft} onOpen={setOpen} />}
      {open !== undefined && <SecondFactorDialog open={open} factors={factors} onOpen={setOpen} onChanged={changed} />}
    </Section>
  );
}

function AuthenticatorApp({ isSetUp, onOpen }: { isSetUp: boolean; onOpen: (open: Open) => void }) {
  return (
    <>
      <h3>Authenticator app</h3>
      <p class={isSetUp ? 'good' : 'quiet'}>
        {isSetUp ? '✓ Set up.' : 'None. An app on your phone shows a new code every 30 seconds.'}
      </p>
      <div class="actions">
        <Button onClick={() => onOpen({ kind: 'app' })}>{isSetUp ? 'Set up another' : 'Set up an app'}</Button>
        {isSetUp && (
          <Button kind="quiet" onClick={() => onOpen({ kind: 'remove-app' })}>
            Remove the app
          </Button>
        )}
      </div>
    </>
  );
}

function CodesLeft({ left, onOpen }: { left: number; onOpen: (open: Open) => void }) {
  return (
    <>
      <h3>Recovery codes</h3>
      <p class={left > 3 ? 'quiet' : 'bad'}>
        {count(left, 'code')} left. Each logs you in once without your second factor.
      </p>
      <div class="actions">
        <Button onClick={() => onOpen({ kind: 'renew' })}>Make new codes</Button>
      </div>
    </>
  );
}
