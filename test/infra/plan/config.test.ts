import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ConfigError, readConfig } from '#infra/plan/config.ts';
import { readInstallation } from '#infra/plan/installation-file.ts';
import { noticesOf } from '#infra/plan/notices.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { settings } from '#lib/core/settings.ts';
import { exampleSettings, fullSettings } from '#test/support/installation.ts';

const read = (settings: Record<string, unknown>) => readConfig(settings);

describe('the settings of an installation', () => {
  test('require a sender, and have a default for everything else', () => {
    expect(read(exampleSettings)).toMatchObject({
      name: 'holdfast',
      mailFrom: { text: 'Holdfast <no-reply@example.com>', address: 'no-reply@example.com', domain: 'example.com' },
      mailIdentity: 'domain',
      logRetentionDays: 90,
      throttleRate: 1000,
    });
  });

  test('let ten organizations use up their shares at once before the gateway rejects anyone', () => {
    vi.stubEnv('REQUESTS_PER_MINUTE', undefined);
    resetProcessMemory('settings');
    const share = settings().REQUESTS_PER_MINUTE / 60;
    vi.unstubAllEnvs();
    resetProcessMemory('settings');
    expect(read(exampleSettings).throttleRate).toBeGreaterThanOrEqual(10 * share);
    const rates = [-1, 60, 30_000, 100_000].map(
      requestsPerMinute => read({ ...exampleSettings, requestsPerMinute }).throttleRate,
    );
    // API Gateway's own quota is the limit.
    expect(rates).toEqual([10 * share, 10 * share, 5000, 10_000]);
    expect(read({ ...exampleSettings, throttleRate: 50 })).toMatchObject({ throttleRate: 50, throttleBurst: 100 });
    expect(read(exampleSettings).passwordThrottleRate).toBeGreaterThanOrEqual(200);
  });

  test('without the firewall or the operators’ address are reported in a sentence', () => {
    expect(noticesOf(read(exampleSettings))).toEqual([
      expect.stringMatching(/^No firewall is on \(waf is false\): .*\.$/),
      expect.stringMatching(/^alarmEmail is not set: .*\.$/),
    ]);
    expect(noticesOf(read({ ...fullSettings, waf: true, region: 'eu-central-1' }))).toEqual([]);
  });

  test('are read from the installation’s committed file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'installations-'));
    writeFileSync(
      join(directory, 'production.json'),
      JSON.stringify({ mailFrom: 'ops@example.org', throttleRate: 50 }),
    );
    writeFileSync(join(directory, 'broken.json'), '{');
    expect(readInstallation('production', directory)).toMatchObject({
      throttleRate: 50,
      mailFrom: { domain: 'example.org' },
    });
    expect(() => readInstallation('staging', directory)).toThrow('There is no file installations/staging.json.');
    expect(() => readInstallation('../production', directory)).toThrow('There is no file');
    expect(() => readInstallation('broken', directory)).toThrow('The file installations/broken.json is not JSON.');
    rmSync(directory, { recursive: true });
  });

  test('in the repository are an example that can be synthesized', () => {
    expect(readInstallation('example').name).toBe('holdfast');
  });

  test.each([
    [{}, 'The setting mailFrom is missing.'],
    [{ ...exampleSettings, mailForm: 'x' }, 'There is no setting mailForm.'],
    [
      { ...exampleSettings, dashboardOrigin: 'https://a.example/path' },
      'The setting dashboardOrigin must be an https origin without a path, e.g. https://app.example.com.',
    ],
    [
      { ...exampleSettings, dashboardOrigin: 'https://app.example.org' },
      'The setting dashboardOrigin is on another site than the API, so browsers would not send the session cookie: leave it out, because the edge serves the dashboard, or set sessionCookie to cross-site.',
    ],
    [
      { ...fullSettings, dashboardOrigin: 'https://app.example.org' },
      /^The setting dashboardOrigin is on another site than the API/,
    ],
    [
      { ...fullSettings, certificateArn: fullSettings.certificateArn.replace('us-east-1', 'eu-central-1') },
      'The setting certificateArn must be the ARN of an ACM certificate in us-east-1, the only region CloudFront accepts.',
    ],
    [
      { ...exampleSettings, mailFrom: 'nobody' },
      'The setting mailFrom must be an e-mail address, or "Name <address>".',
    ],
    [
      { ...exampleSettings, domainName: 'secrets.example.com' },
      'The setting certificateArn is required because domainName is set.',
    ],
    [
      { ...exampleSettings, stripeWebhookSecretParameter: '/a/b' },
      'The setting stripeSecretKeyParameter is required because stripeWebhookSecretParameter is set.',
    ],
    [
      { ...exampleSettings, stripeSecretKeyParameter: 'sk_live_1', stripeWebhookSecretParameter: '/a/b' },
      'The setting stripeSecretKeyParameter must be the name of an SSM parameter, starting with a slash.',
    ],
    [
      { ...exampleSettings, replicaRegion: 'eu-west-1' },
      'The setting region is required because replicaRegion is set.',
    ],
    [
      { ...exampleSettings, region: 'eu-west-1', replicaRegion: 'eu-west-1' },
      'The setting replicaRegion must be another region than region.',
    ],
    [{ ...exampleSettings, peerRegion: 'eu-west-1' }, 'The setting region is required because peerRegion is set.'],
    [
      { ...exampleSettings, region: 'eu-west-1', peerRegion: 'eu-west-1' },
      'The setting peerRegion must be another region than region.',
    ],
    [
      { ...exampleSettings, region: 'eu-west-1', replicaRegion: 'eu-west-2', peerRegion: 'eu-west-3' },
      'The setting peerRegion must be the same region as replicaRegion.',
    ],
    [
      { ...exampleSettings, restoredTable: 'restored', sharedTable: 'shared' },
      'The setting sharedTable must be left out because restoredTable is set.',
    ],
    [
      { ...exampleSettings, backupVaultArn: 'arn:aws:s3:::backups' },
      'The setting backupVaultArn must be the ARN of an AWS Backup vault.',
    ],
    [{ ...exampleSettings, waf: true }, 'The setting region is required because waf is on.'],
    [{ ...exampleSettings, logRetentionDays: 7 }, /^The setting logRetentionDays must be one of 30, 60, /],
    [{ ...exampleSettings, throttleRate: 'many' }, 'The setting throttleRate must be a number from 1 to 10000.'],
    [{ ...exampleSettings, name: 'Hold fast' }, /^The setting name must have 2 to 20 lower-case letters/],
  ])('are rejected with one sentence per problem: %j', (settings, message) => {
    expect(() => read(settings)).toThrow(ConfigError);
    expect(() => read(settings)).toThrow(message);
  });

  test('allow a dashboard elsewhere on the same site, and on another site with a cookie sent there', () => {
    const sameSite = read({ ...fullSettings, dashboardOrigin: 'https://app.example.com' });
    expect(sameSite.sessionCookie).toBe('same-site');
    const crossSite = { dashboardOrigin: 'https://app.example.org', sessionCookie: 'cross-site' };
    expect(read({ ...exampleSettings, ...crossSite })).toMatchObject(crossSite);
  });

  test('treat two CloudFront distributions as two sites', () => {
    const settings = { ...fullSettings, domainName: 'd1.cloudfront.net', dashboardOrigin: 'https://d2.cloudfront.net' };
    expect(() => read(settings)).toThrow(/^The setting dashboardOrigin is on another site than the API/);
  });

  test('never print a value that could be a secret', () => {
    const read1 = () => read({ ...fullSettings, stripeSecretKeyParameter: 'sk_live_abc' });
    expect(read1).not.toThrow(/sk_live_abc/);
    expect(read1).toThrow(ConfigError);
  });
});
