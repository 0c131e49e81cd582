import * as z from 'zod';

export const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });
