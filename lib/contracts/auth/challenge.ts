import * as z from 'zod';
import { text } from '../fields/text.ts';

export const Challenge = z.string().meta({
  description: 'The challenge. It works once and expires after five minutes.',
  example: 'EXAMPLE-challenge-0000',
});

/** The format is not checked here: anything else is an `invalid_token`. */
export const PresentedChallenge = text(1, 512).meta({
  description: 'The challenge.',
  example: 'EXAMPLE-challenge-0000',
});
