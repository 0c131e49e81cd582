import { Duration, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Config } from '../plan/config.ts';

/**
 * The archive's bucket: an existing one, or the installation's own. Its name follows from the settings, so that other
 * stacks don't import it, which would prevent removing it from the template. Undefined without an archive.
 */
export function archiveBucketName(
  { account, region }: Pick<Stack, 'account' | 'region'>,
  { name, auditArchiveDays, auditArchiveBucket }: Pick<Config, 'name' | 'auditArchiveDays' | 'auditArchiveBucket'>,
): string | undefined {
  if (auditArchiveDays === undefined) return auditArchiveBucket;
  return `${name}-audit-archive-${account}-${region}`;
}

/** The installation's own bucket, whose objects can't be deleted or overwritten before their retention ends. */
export function addArchiveBucket(
  stack: Stack,
  config: Config,
  { days, bucketName }: { days: number; bucketName: string },
): void {
  const retention = Duration.days(days);
  const bucket = new Bucket(stack, 'AuditArchive', {
    bucketName,
    versioned: true,
    objectLockEnabled: true,
    objectLockDefaultRetention:
      config.auditArchiveMode === 'compliance'
        ? ObjectLockRetention.compliance(retention)
        : ObjectLockRetention.governance(retention),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  // A second version of an object would hide the first. AWS's example of enforcing conditional writes, without its
  // exception for multipart uploads, which nothing here uses.
  bucket.addToResourcePolicy(
    new PolicyStatement({
      sid: 'NeverOverwrite',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects('*')],
      conditions: { Null: { 's3:if-none-match': 'true' } },
    }),
  );
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'CloudTrail records who reads the archive, if the account has a trail with data events.',
  });
}
