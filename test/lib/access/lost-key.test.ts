import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';
import { replaceLostKey } from '#infra/repair/replace-credential-key.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { createCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { kmsClient } from '#lib/crypto/kms.ts';
import { codeOf, createProject, createToken, sessionOf, startApi, useSettings } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { addApp, askedAtLogin } from '#test/support/second-factors.ts';

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT' }));
const person = shared(seedPerson);

describe('once the KMS key is lost and the installation uses another one', () => {
  const useNewKey = async () => {
    const { KeyMetadata: created } = await kmsClient().send(new CreateKeyCommand({}));
    useSettings({ KMS_KEY_ID: created?.Arn ?? '' });
    resetProcessMemory('credential-key', 'data-keys');
  };
  const logIn = (email: string) => api.post('/auth/login', { email, password: testPassword });

  it('nobody can log in until the credential key is replaced; what was issued before keeps working', async () => {
    const { token } = await createToken(api, person);
    const withApp = await seedPerson({ emailVerified: true });
    const app = await addApp(api, withApp);
    await useNewKey();
    expect((await logIn(person.email)).status).toBe(500);
    expect((await api.get('/auth/me', { token })).status).toBe(200);

    expect(await replaceLostKey()).toBe(true);
    expect(await replaceLostKey()).toBe(false);

    const session = sessionOf(await logIn(person.email));
    expect((await api.get('/auth/me', { token })).status).toBe(200);
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
    expect((await api.get('/auth/me', session)).status).toBe(200);
    const forged = createCredential(person.user.id, tokenPrefix).secret;
    expect(codeOf(await api.get('/auth/me', { token: forged }))).toBe('401 unauthenticated');
    expect((await createProject(api, { ...person, session })).slug).toBe('shop');
    // The app's secret is lost with the KMS key; the recovery codes are not.
    const { challenge } = await askedAtLogin(withApp);
    expect((await api.post('/auth/login/verify', { challenge, totp: app.code() })).status).toBe(500);
    const again = await askedAtLogin(withApp);
    const [recoveryCode] = app.recoveryCodes;
    const recovered = await api.post('/auth/login/verify', { challenge: again.challenge, recoveryCode });
    expect(recovered.status).toBe(200);
  });

  it('a key that KMS refuses for another reason is not replaced', async () => {
    useSettings({ KMS_KEY_ID: 'arn:aws:kms:us-east-1:000000000000:key/unknown' });

    await expect(replaceLostKey()).rejects.toThrow('does not exist');
  });
});
