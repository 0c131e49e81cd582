import * as z from 'zod';

export const Revision = z.int().meta({
  description: 'The revision of the environment. It goes up by one with each accepted change of its secrets.',
  example: 17,
});
