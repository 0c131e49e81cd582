import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, readConfig } from '#infra/plan/config.ts';
import { readInstallation } from '#infra/plan/installation-file.ts';
import { noticesOf } from '#infra/plan/notices.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { settings } from '#lib/core/settings.ts';
import { scratchDirectory } from '#test/support/fixtures.ts';
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
    const directory = scratchDirectory(onTestFinished);
    writeFileSync(join(directory, 'production.json'), '{ "mailFrom": "ops@example.org", "throttleRate": 50 }');
    writeFileSync(join(directory, 'broken.json'), '{');
    const { throttleRate, mailFrom } = readInstallation('production', directory);
    expect([throttleRate, mailFrom.domain]).toEqual([50, 'example.org']);
    expect(() => readInstallation('staging', directory)).toThrow('There is no file installations/staging.json.');
    expect(() => readInstallation('../production', directory)).toThrow('There is no file');
    expect(() => readInstallation('broken', directory)).toThrow('The file installations/broken.json is not JSON.');
  });

  test('in the repository are an example that can be synthesized', () => {
    expect(readInstallation('example').name).toBe('holdfast');
  });

  /** The changes that make the settings of the example, or all settings, wrong. */
  const wrong: [Record<string, unknown>, string | RegExp, Record<string, unknown>?][] = [
    [{}, 'mailFrom is missing.', {}],
    [{ mailFrom: 'nobody' }, 'mailFrom must be an e-mail address, or "Name <address>".'],
    [
      { dashboardOrigin: 'https://a.example/path' },
      'dashboardOrigin must be an https origin without a path, e.g. https://app.example.com.',
    ],
    [
      { dashboardOrigin: 'https://app.example.org' },
      'dashboardOrigin is on another site than the API, so browsers would not send the session cookie: leave it out, because the edge serves the dashboard, or set sessionCookie to cross-site.',
    ],
    [{ dashboardOrigin: 'https://app.example.org' }, /^The setting dashboardOrigin is on another site/, fullSettings],
    [
      { certificateArn: fullSettings.certificateArn.replace('us-east-1', 'eu-central-1') },
      'certificateArn must be the ARN of an ACM certificate in us-east-1, the only region CloudFront accepts.',
      fullSettings,
    ],
    [{ domainName: 'secrets.example.com' }, 'certificateArn is required because domainName is set.'],
    [
      { stripeWebhookSecretParameter: '/a/b' },
      'stripeSecretKeyParameter is required because stripeWebhookSecretParameter is set.',
    ],
    [
      { stripeSecretKeyParameter: 'sk_live_1', stripeWebhookSecretParameter: '/a/b' },
      'stripeSecretKeyParameter must be the name of an SSM parameter, starting with a slash.',
    ],
    [{ replicaRegion: 'eu-west-1' }, 'region is required because replicaRegion is set.'],
    [{ region: 'eu-west-1', replicaRegion: 'eu-west-1' }, 'replicaRegion must be another region than region.'],
    [{ peerRegion: 'eu-west-1' }, 'region is required because peerRegion is set.'],
    [{ region: 'eu-west-1', peerRegion: 'eu-west-1' }, 'peerRegion must be another region than region.'],
    [
      { region: 'eu-west-1', replicaRegion: 'eu-west-2', peerRegion: 'eu-west-3' },
      'peerRegion must be the same region as replicaRegion.',
    ],
    [
      { restoredTable: 'restored', sharedTable: 'shared' },
      'sharedTable must be left out because restoredTable is set.',
    ],
    [{ backupVaultArn: 'arn:aws:s3:::backups' }, 'backupVaultArn must be the ARN of an AWS Backup vault.'],
    [{ waf: true }, 'region is required because waf is on.'],
    [{ logRetentionDays: 7 }, /^The setting logRetentionDays must be one of 30, 60, /],
    [{ throttleRate: 'many' }, 'throttleRate must be a number from 1 to 10000.'],
    [{ name: 'Hold fast' }, /^The setting name must have 2 to 20 lower-case letters/],
  ];
  test.each(wrong)('are rejected with one sentence per problem: %j', (changes, problem, all = exampleSettings) => {
    const reading = () => read({ ...all, ...changes });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(typeof problem === 'string' ? `The setting ${problem}` : problem);
  });

  test('are rejected if there is no such setting', () => {
    expect(() => read({ ...exampleSettings, mailForm: 'x' })).toThrow('There is no setting mailForm.');
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
