/**
 * Why a sign-in with a company's provider did not happen: the codes that the dashboard gets as `/log-in#error=<code>`,
 * with the sentence for the person. A closed set.
 */
export const signInErrors = {
  provider_not_configured: 'This organization has no sign-in provider. Log in another way.',
  provider_unavailable:
    'Your company’s sign-in provider did not respond, or its response was invalid. Try again in a minute.',
  provider_refused: 'Your company’s sign-in provider did not sign you in.',
  sign_in_expired: 'This sign-in has expired, was already used or was started in another browser. Start again.',
  invalid_answer: 'The response of your company’s sign-in provider could not be verified. Report this to an owner.',
  email_missing:
    'Your company’s sign-in provider sent no e-mail address for you. Its administrator can add one to your account ' +
    'there, or configure it to send the claim “email”.',
  email_not_verified: 'Your company’s sign-in provider has not verified your e-mail address.',
  domain_not_verified: 'Your e-mail address is not in a domain that your organization has verified.',
  link_required: 'An account with your e-mail address already exists. Log in once to link it to your provider.',
  second_factor_required: 'Confirm your second factor to finish signing in.',
  invitation_required: 'You are not a member of this organization. Ask an owner or admin for an invitation.',
  plan_limit_exceeded: 'Your organization has reached its member limit. Ask an owner to raise it.',
  other_person: 'You signed in as another person at your company’s sign-in provider. Nothing was changed.',
  not_fresh: 'Your company’s sign-in provider did not ask you to sign in again. Use a passkey, or log in again.',
  start_here: 'Enter your e-mail address, and sign in from here.',
  session_required: 'Log in first, then try again.',
  rate_limited: 'There were too many attempts from your network or in your organization. Try again later.',
  temporarily_unavailable: 'Something went wrong on our side. Try again.',
} as const;

export type SignInError = keyof typeof signInErrors;
