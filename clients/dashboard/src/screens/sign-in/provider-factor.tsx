import { useEffect, useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { FactorForm } from '../../factors/factor-form.tsx';
import { useAction } from '../../load.ts';
import { signedIn } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';

/** The account's own second factor, which completes a sign-in that the provider began. */
export function ProviderFactor({ onBack }: { onBack: () => void }) {
  const [asked, setAsked] = useState<Answer<'POST /v1/auth/provider/factor'>>();
  const ask = useAction(async () => setAsked(await call('POST /v1/auth/provider/factor')));
  useEffect(() => void ask.run(), []);
  if (asked === undefined)
    return (
      <>
        <Problem error={ask.error} />
        {ask.error !== undefined && (
          <div class="actions">
            <Button onClick={onBack}>Start again</Button>
          </div>
        )}
      </>
    );
  return (
    <FactorForm
      asked={asked}
      onProve={async factor => {
        const { user } = await call('POST /v1/auth/login/verify', { body: { challenge: asked.challenge, ...factor } });
        await signedIn(user.id);
      }}
      onBack={onBack}
    />
  );
}
