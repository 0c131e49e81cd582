/**
 * Why a sign-in with a company's provider did not happen: the codes that the dashboard gets as `/log-in#error=<code>`,
 * with the sentence for the person. A closed set.
 */
export const signInErrors = {
  provider_not_configured: 'This organization has no sign-in provider. Log in another way.',
  provider_unavailable: 'Your company’s sign-in provider did not respond, or not as expected. Try again in a minute.',
  provider_refused: 'Your company’s sign-in provider did not sign you in.',
  sign_in_expired: 'This sign-in has expired, was already used or was started in another browser. Start again.',
  invalid_answer: 'The response of your company’s sign-in provider could not be verified. Tell an owner about it.',
  email_missing:
    'Your company’s sign-in provider sent no e-mail address for you. Its administrator can add one to your account ' +
    'there, or the claim email to what it sends.',
  email_not_verified: 'Your company’s sign-in provider has not verified your e-mail address.',
  domain_not_verified: 'Your e-mail address is not in a domain that your organization has verified.',
  link_required:
    'There already is an account with your e-mail address. Log in once, and it is linked to your provider.',
  second_factor_required: 'Confirm your second factor to finish signing in.',
  invitation_required: 'You are not a member of this organization. Ask an owner or admin for an invitation.',
  plan_limit_exceeded: 'Your organization has no room for another member. Tell an owner about it.',
  other_person: 'You signed in as somebody else at your company’s sign-in provider. Nothing was changed.',
  not_fresh: 'Your company’s sign-in provider did not ask you to sign in again. Use a passkey, or log in again.',
  start_here: 'Enter your e-mail address, and sign in from here.',
  session_required: 'Log in first, and then try again.',
  rate_limited: 'There were too many attempts from your network or in your organization. Try again later.',
  temporarily_unavailable: 'This did not work because of a problem on our side. Try again.',
} as const;

export type SignInError = keyof typeof signInErrors;
