import { text } from '../fields/text.ts';

/** 12 to 256 characters without composition rules, as NIST SP 800-63B and OWASP recommend. */
export const NewPassword = text(12, 256).meta({
  description: 'The new password.',
  example: 'an example of a pass phrase',
});

/**
 * A password to compare. A short one is wrong rather than malformed, because it may have been set under other rules.
 */
export const PresentedPassword = text(1, 256);
