import { signInErrors } from 'virtual:contracts';
import type { SignInError } from '@holdfast/contracts/auth/sign-in.ts';
import '../../ui/problem.css';

/** What to do next, where the sentence doesn't say it. */
const next: Readonly<Partial<Record<SignInError, string>>> = {
  provider_refused: 'Ask its administrator to give you access to Holdfast, or log in another way.',
  invalid_answer: 'The organization’s audit log has the reason.',
  email_not_verified: 'Ask its administrator to verify your address there, then sign in again.',
  domain_not_verified: 'An owner verifies domains in the organization’s settings.',
  link_required:
    'Use your password, with your second factor if you have one, or a passkey. After that, both log-ins work.',
  other_person: 'Choose your own account there, or log out there first.',
};

/** The code that the service left in the fragment, which is then removed from the address bar and the history. */
export function takeRefusal(): SignInError | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('error');
  if (code === null) return undefined;
  history.replaceState(null, '', window.location.pathname + window.location.search);
  return Object.hasOwn(signInErrors, code) ? (code as SignInError) : undefined;
}

/** Why a sign-in with a company's provider did not happen, and what to do next. */
export function ProviderRefusal({ code }: { code: SignInError | undefined }) {
  if (code === undefined) return null;
  // Both only need one more step.
  const isStep = code === 'link_required' || code === 'second_factor_required';
  return (
    <div class={isStep ? 'notice' : 'refusal'} role={isStep ? 'status' : 'alert'}>
      <p>{signInErrors[code]}</p>
      {next[code] !== undefined && <p>{next[code]}</p>}
    </div>
  );
}
