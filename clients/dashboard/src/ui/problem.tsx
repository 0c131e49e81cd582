import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { location$ } from '../router.ts';
import { Button } from './button.tsx';
import { ProviderLink } from './provider-link.tsx';
import { ReferenceAdvice } from './reference-advice.tsx';
import './problem.css';

/** The error, its reason, and the id to quote when reporting it. A rate limit counts down. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const wait = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  const [left, setLeft] = useState(wait ?? 0);
  useEffect(() => {
    setLeft(wait ?? 0);
    if (wait === undefined) return;
    const timer = window.setInterval(() => setLeft(seconds => Math.max(0, seconds - 1)), 1000);
    return () => window.clearInterval(timer);
  }, [error, wait]);
  if (error === undefined) return null;
  const refusal = error instanceof Refusal ? error : undefined;
  const general = refusal?.problems.filter(({ path }) => path === '') ?? [];
  return (
    <div class="refusal" role="alert">
      <p>
        {refusal === undefined ? 'Something went wrong on this page.' : refusal.message}
        {general.length > 0 && ` ${general.map(({ message }) => message).join('; ')}`}
      </p>
      {refusal?.code === 'second_factor_required' && (
        <p>
          <a href="/account">Add a second factor</a>, or log in with yours.
        </p>
      )}
      {refusal?.code === 'provider_required' && <SignInThere />}
      {refusal !== undefined && <ReferenceAdvice refusal={refusal} />}
      {left > 0 && <p>Try again in {duration(left)}.</p>}
      {refusal?.requestId !== undefined && (
        <p class="request-id">
          Request <code>{refusal.requestId}</code>
        </p>
      )}
      {retry !== undefined && left === 0 && refusal?.code !== 'provider_required' && (
        <Button onClick={retry}>Try again</Button>
      )}
    </div>
  );
}

/** The way in to the organization whose page this is. */
function SignInThere() {
  const [, slug] = /^\/organizations\/([^/?]+)/.exec(location$.value) ?? [];
  if (slug === undefined) return null;
  return (
    <ProviderLink slug={slug} to={location$.value}>
      Sign in with the provider
    </ProviderLink>
  );
}

function duration(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
