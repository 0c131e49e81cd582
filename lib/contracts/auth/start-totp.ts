import * as z from 'zod';
import { contract, ok } from '../contract.ts';

export const startTotp = contract({
  operationId: 'start-totp',
  route: 'POST /v1/auth/totp',
  summary: 'Start to add an authenticator app',
  description:
    'Returns a secret for an authenticator app (TOTP, RFC 6238). The app is not added until `POST ' +
    '/v1/auth/totp/confirm` receives one of its codes, within ten minutes. Until then, an existing ' +
    'authenticator app keeps working; afterwards the new one replaces it.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({
    description: 'The secret, shown only once.',
    body: z.object({
      secret: z.string().meta({
        description: 'The secret in base32, for manual entry.',
        example: 'EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA',
      }),
      uri: z.string().meta({
        description: 'The same secret as an `otpauth` URI, for a QR code.',
        example: 'otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast',
      }),
    }),
  }),
  errors: ['email_not_verified'],
  uses: { table: [], key: { totp: ['Encrypt'] } },
});
