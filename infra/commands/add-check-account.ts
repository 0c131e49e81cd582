import { randomBytes, randomUUID } from 'node:crypto';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { CheckAccount } from '#lib/metrics/service-check.ts';
import { apiAt, type Session } from './rehearsal-organization.ts';

/*
 * `npm run operate -- add-check-account <address of the API> <SSM parameter> <e-mail>`: registers an account with its own
 * organization and project, and stores its credentials encrypted in the parameter. The password is never shown. The
 * command adds a `+` and a random part to the e-mail address, so that it can be run again.
 */

try {
  const [url = '', parameter = '', email = ''] = process.argv.slice(2);
  const [user = '', host = ''] = email.split('@');
  if (!/^https?:.*\/v1$/.test(url) || !parameter.startsWith('/') || host === '') {
    throw new Error(
      'Usage: npm run operate -- add-check-account <address of the API, with /v1> <SSM parameter> <e-mail>',
    );
  }
  const account = await register(url, `${user}+${randomUUID().slice(0, 8)}@${host}`);
  await new SSMClient().send(
    new PutParameterCommand({ Name: parameter, Type: 'SecureString', Value: JSON.stringify(account), Overwrite: true }),
  );
  console.log(
    `${account.email} checks the project ${account.organization}/${account.project}; ${parameter} holds its credentials.`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function register(url: string, email: string): Promise<CheckAccount> {
  const password = randomBytes(24).toString('base64url');
  const session: Session = {};
  const call = apiAt(url, session);
  const { body } = await call('POST', '/auth/register', { email, password, name: 'Service check' });
  const { id, slug: organization } = body.organization;
  await call('POST', `/projects/${id}`, { name: 'Check', slug: 'check' });
  return { url, email, password, organization, project: 'check', environment: 'dev' };
}
