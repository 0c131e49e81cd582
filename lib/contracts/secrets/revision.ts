import * as z from 'zod';

export const Revision = z.int().meta({
  description: 'The environment’s revision. It increases by one with each accepted change of its secrets.',
  example: 17,
});
