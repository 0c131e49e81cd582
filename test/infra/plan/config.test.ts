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
      expect.stringMatching(/^Neither alarmEmail nor alarmTopicArn is set: .*\.$/),
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
    [{ region: 'us-gov-west-1' }, /^The setting region is in GovCloud, in China or .* Holdfast does not run: .*\.$/],
    [{ region: 'cn-north-1' }, /^The setting region is in GovCloud, in China or /],
    [{ region: 'us-isob-east-1' }, /^The setting region is in GovCloud, in China or /],
    [{ region: 'eusc-de-east-1' }, /^The setting region is in GovCloud, in China or /],
    [{ region: 'eu-west-1', replicaRegion: 'cn-north-1' }, /^The setting replicaRegion is in GovCloud, in China or /],
    [{ region: 'Frankfurt' }, 'region must be a region, e.g. eu-central-1.'],
    [
      { alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:a.fifo' },
      'alarmTopicArn must be the ARN of a standard SNS topic.',
    ],
    [
      { region: 'eu-west-1', pageTopicArn: 'arn:aws:sns:eu-west-2:123456789012:pages' },
      'pageTopicArn must be in the region of the installation, eu-west-1.',
    ],
    [
      { alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms' },
      'alarmEmail must be left out because alarmTopicArn is set: subscribe the address to that topic.',
      fullSettings,
    ],
    [{ tags: { 'aws:owner': 'x' } }, 'tags has the tag "aws:owner", but only AWS may set tags that start with aws:.'],
    [{ tags: { owner: 'a;b' } }, 'tags has a tag that AWS does not accept: "owner".'],
    [{ tags: { ['k'.repeat(129)]: '' } }, /^The setting tags has a tag that AWS does not accept/],
    [{ tags: { Application: 'x' } }, 'tags has the tag "Application", which Holdfast sets itself.'],
    [{ tags: { owner: 'a', Owner: 'b' } }, 'tags has two keys that differ only in case.'],
    [{ tags: { owner: 1 } }, /^The setting tags /],
    [
      { tags: Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`t${index}`, ''])) },
      'tags must be at most 40 tags.',
    ],
    [
      { permissionsBoundary: 'arn:aws:iam::1:role/x' },
      'permissionsBoundary must be the ARN or the name of an IAM policy.',
    ],
    [{ bootstrapQualifier: 'Acme-1' }, 'bootstrapQualifier must have 1 to 10 lower-case letters and digits.'],
    [
      { keyArn: 'arn:aws:kms:eu-west-1:123456789012:alias/acme' },
      'keyArn must be the ARN of a KMS key, not of an alias.',
    ],
    [
      {
        region: 'eu-west-1',
        replicaRegion: 'eu-west-2',
        keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
      },
      'keyArn must be a multi-Region key because replicaRegion is set.',
    ],
    [{ allowedNetworks: ['198.51.100.0/24'] }, 'waf must be true because allowedNetworks is set.'],
    [
      { allowedNetworks: ['198.51.100.0/24'], waf: true, region: 'eu-central-1', directOrigin: true },
      'directOrigin must be false because allowedNetworks is set.',
    ],
    [{ allowedNetworks: ['office'] }, 'allowedNetworks must be networks, e.g. 198.51.100.0/24.'],
    [{ allowedNetworks: [] }, 'allowedNetworks must name at least one network.'],
    [
      { allowedNetworks: ['::/0'] },
      'allowedNetworks must not name the whole internet; leave allowedNetworks out to allow it.',
    ],
    [
      { allowedNetworks: ['198.51.100.7/24'] },
      'allowedNetworks has a network that starts elsewhere: write 198.51.100.0/24 for 198.51.100.7/24.',
    ],
    [
      { allowedNetworks: ['10.0.0.0/8'] },
      'allowedNetworks has 10.0.0.0/8, which is private: name the addresses that your networks have on the internet.',
    ],
    [{ priceClass: '50' }, 'priceClass must be 100, 200 or all.'],
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
