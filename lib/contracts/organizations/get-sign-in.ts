import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { access, SignIn } from './sign-in.ts';

export const getSignIn = contract({
  operationId: 'get-sign-in',
  route: 'GET /v1/orgs/{orgId}/sign-in',
  summary: 'Get the sign-in provider',
  description:
    'Returns how members sign in with their company’s provider, without the client secret. Owners with a verified ' +
    'e-mail address only.',
  access,
  responses: ok({
    description: 'The provider.',
    body: z.object({
      redirectUri: z.string().meta({
        description: 'The redirect URI to register at the provider, also before one is set.',
        example: 'https://app.example.com/v1/auth/provider/analytical-engines/callback',
      }),
      signIn: SignIn.nullable().meta({ description: 'The provider; null if none is set.' }),
    }),
  }),
  errors: ['email_not_verified'],
  uses: { dashboardOrigin: true, table: ['BatchGetItem', 'GetItem'] },
});
