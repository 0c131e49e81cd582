import * as z from 'zod';

export const Revision = z.int().meta({
  description: 'The environment’s revision. It increases by one with each accepted change to its secrets.',
  example: 17,
});

export const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });
