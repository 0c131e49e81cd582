import { describe, expect, test } from 'vitest';
import { readConfig } from '#infra/plan/config.ts';
import { harmsOf } from '#infra/stacks/template-changes.ts';
import { exampleSettings, synthesize } from '#test/support/installation.ts';

const region = 'eu-central-1';
const plain = synthesize({ ...exampleSettings, region });
const own = synthesize({ ...exampleSettings, region, auditArchiveDays: 400 });
const strict = synthesize({ ...exampleSettings, region, auditArchiveDays: '3650', auditArchiveMode: 'compliance' });
const elsewhere = synthesize({ ...exampleSettings, region, auditArchiveBucket: 'acme-evidence' });

const bucketOf = ({ ofType }: typeof own) => ofType('AWS::S3::Bucket').find(({ id }) => id.startsWith('AuditArchive'));
const text = (value: unknown) => JSON.stringify(value);
const puts = ({ rights }: typeof own) =>
  [...rights()].flatMap(([name, statements]) =>
    statements.filter(statement => text(statement).includes('s3:')).map(statement => [name, statement] as const),
  );
const alarmOf = ({ propertiesOf }: typeof own) =>
  propertiesOf('AWS::CloudWatch::Alarm').find(one => one.AlarmName === 'holdfast-AuditArchiveLate');
const scheduleOf = ({ propertiesOf }: typeof own) =>
  propertiesOf('AWS::Events::Rule').find(one => String(one.Description).includes('to the archive'))?.State;

describe('the audit archive', () => {
  test('is a private bucket that outlives the stack and locks every object for so many days', () => {
    const bucket = bucketOf(own)?.resource;
    expect(bucket).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(bucket?.Properties).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 400 } } },
      VersioningConfiguration: { Status: 'Enabled' },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    expect(Object.values(bucket?.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    expect(text(bucket?.Properties.BucketEncryption)).toContain('AES256');
    expect(bucketOf(strict)?.resource.Properties.ObjectLockConfiguration).toMatchObject({
      Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 3650 } },
    });
  });

  test('refuses requests without TLS, and those that could put a second version over an object', () => {
    const policy = own.propertiesOf('AWS::S3::BucketPolicy').find(one => text(one.Bucket).includes('AuditArchive'));
    const denied = policy.PolicyDocument.Statement.map((one: { Effect: string; Condition: unknown }) => [
      one.Effect,
      one.Condition,
    ]);
    expect(denied).toEqual([
      ['Deny', { Bool: { 'aws:SecureTransport': 'false' } }],
      ['Deny', { Null: { 's3:if-none-match': 'true' } }],
    ]);
  });

  test.each([
    ['its own bucket', own, 'holdfast-audit-archive-'],
    ['a bucket elsewhere', elsewhere, 'acme-evidence/*'],
  ])('is written by one function, which may only put objects into %s', (_, installation, bucket) => {
    const [[name, statement] = ['', undefined], ...others] = puts(installation);
    expect(others).toEqual([]);
    expect(name).toBe('archive-audit');
    expect(statement).toMatchObject({ Effect: 'Allow', Action: 's3:PutObject' });
    expect(text(statement)).toContain(bucket);
    expect(text(installation.settingsOf('archive-audit'))).toContain(bucket.replace('/*', ''));
    expect(scheduleOf(installation)).toBe('ENABLED');
    expect(alarmOf(installation)).toMatchObject({
      AlarmDescription: expect.stringMatching(/^\[notify\]/),
      InsufficientDataActions: [expect.anything()],
    });
  });

  test('does not exist without a setting: no bucket, no right, no run, no alarm', () => {
    expect(bucketOf(plain)).toBeUndefined();
    expect(bucketOf(elsewhere)).toBeUndefined();
    expect(puts(plain)).toEqual([]);
    expect(scheduleOf(plain)).toBe('DISABLED');
    expect(alarmOf(plain)).toBeUndefined();
    expect(plain.settingsOf('archive-audit')).not.toHaveProperty('AUDIT_ARCHIVE_BUCKET');
  });

  test('rests under maintenance', () => {
    const maintained = synthesize({ ...exampleSettings, region, auditArchiveDays: 400, maintenance: true });
    expect(scheduleOf(maintained)).toBe('DISABLED');
    expect(alarmOf(maintained)).toMatchObject({ ActionsEnabled: false });
  });

  test('can be turned on and off by a deployment', () => {
    expect(harmsOf(plain.templates, own.templates)).toEqual([]);
    expect(harmsOf(own.templates, plain.templates)).toEqual([]);
    expect(harmsOf(own.templates, elsewhere.templates)).toEqual([]);
  });

  test.each([
    [{ auditArchiveDays: 0 }, 'The setting auditArchiveDays must be at least 1.'],
    [{ auditArchiveDays: 1.5 }, 'The setting auditArchiveDays must be a whole number of days.'],
    [{ auditArchiveBucket: 'Acme' }, 'The setting auditArchiveBucket must be the name of an S3 bucket.'],
    [
      { auditArchiveBucket: 'acme-evidence', auditArchiveDays: 400 },
      'The setting auditArchiveDays must be left out because auditArchiveBucket is set: its own settings say how long objects are locked.',
    ],
    [{ auditArchiveMode: 'off' }, 'The setting auditArchiveMode must be governance or compliance.'],
    [{ auditArchiveMode: 'compliance' }, 'The setting auditArchiveDays is required because auditArchiveMode is set.'],
  ])('can’t be configured as %o', (settings, message) => {
    expect(() => readConfig({ ...exampleSettings, ...settings })).toThrow(message);
  });
});
