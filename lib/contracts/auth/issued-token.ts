import * as z from 'zod';
import { CliToken } from './cli-token.ts';

export const tokenExample = 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal';

export const IssuedToken = z
  .object({
    token: z.string().meta({ description: 'The bearer token. It is shown only once.', example: tokenExample }),
    cliToken: CliToken,
  })
  .meta({ id: 'IssuedToken', description: 'A new bearer token and its description.' });
