import { text } from '../fields/text.ts';

/** The token of a mailed link. The format is not checked here: anything else is an `invalid_token`. */
export const LinkToken = text(1, 512).meta({
  description: 'The token from the mailed link; it works once.',
  example: 'EXAMPLE-verification-token-0000',
});
