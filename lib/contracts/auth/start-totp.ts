import * as z from 'zod';
import { contract } from '../contract.ts';

export const startTotp = contract({
  operationId: 'start-totp',
  route: 'POST /v1/auth/totp',
  summary: 'Begin to add an authenticator app',
  description:
    'Returns a secret for an authenticator app (TOTP, RFC 6238). It does nothing until `POST /v1/auth/totp/confirm` gets a ' +
    'code of it, within ten minutes. An earlier authenticator app keeps working until then, and is replaced.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: {
    200: {
      description: 'The secret, which is shown only once.',
      body: z.object({
        secret: z.string().meta({
          description: 'The secret in base32, to type in.',
          example: 'EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA',
        }),
        uri: z.string().meta({
          description: 'The same as an `otpauth` address, to show as a QR code.',
          example: 'otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast',
        }),
      }),
    },
  },
  errors: ['email_not_verified'],
  uses: { table: [], key: { totp: ['Encrypt'] } },
});
