import {
  Arn,
  ArnFormat,
  CfnOutput,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
  Token,
  Validations,
} from 'aws-cdk-lib';
import { CfnBackupPlan, CfnBackupSelection, CfnBackupVault } from 'aws-cdk-lib/aws-backup';
import { AccountPrincipal, Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';

/** Point-in-time recovery covers recent days, so the copy in the other account is what matters. */
const keptHereDays = 7;

/** As long as point-in-time recovery, so that erased data disappears from both at the same time. */
const keptThereDays = 35;

interface BackupStackProps extends StackProps {
  config: Config;
  /** The table in use. */
  tableArn: string;
  /** The ARN of the vault in another account. */
  copyTo: string;
}

/**
 * A daily backup of the table with a copy in another account, in case a mistake or an attack destroys this account's
 * table and backups. It contains wrapped data keys. The key that unwraps them is in no backup.
 */
export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, { config, tableArn, copyTo, ...props }: BackupStackProps) {
    super(scope, id, props);
    const { account = '', region = '' } = Arn.split(copyTo, ArnFormat.COLON_RESOURCE_NAME);
    const key = this.addKey(config, account);
    const vault = new CfnBackupVault(this, 'Vault', {
      backupVaultName: `${config.name}-table`,
      encryptionKeyArn: key.keyArn,
    });
    vault.applyRemovalPolicy(RemovalPolicy.RETAIN);
    const plan = new CfnBackupPlan(this, 'Plan', {
      backupPlan: {
        backupPlanName: `${config.name}-daily`,
        backupPlanRule: [
          {
            ruleName: 'daily',
            targetBackupVault: vault.ref,
            scheduleExpression: 'cron(0 3 * * ? *)',
            lifecycle: { deleteAfterDays: keptHereDays },
            copyActions: [{ destinationBackupVaultArn: copyTo, lifecycle: { deleteAfterDays: keptThereDays } }],
          },
        ],
      },
    });
    const role = this.addRole(config, {
      tableArn,
      vaultArn: vault.attrBackupVaultArn,
      copyTo,
      key,
      other: { account, region },
    });
    new CfnBackupSelection(this, 'Selection', {
      backupPlanId: plan.attrBackupPlanId,
      backupSelection: { selectionName: 'table', iamRoleArn: role.roleArn, resources: [tableArn] },
    });
    new CfnOutput(this, 'VaultName', { value: vault.ref });
  }

  /**
   * DynamoDB backups are encrypted with their vault's key. The AWS managed key of AWS Backup can't be shared with
   * another account, so the vault has its own key, which the other account may use to read its copies.
   */
  private addKey({ name }: Config, otherAccount: string): Key {
    const key = new Key(this, 'Key', {
      description: `Encrypts the backups of the table of ${name}.`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'CopyToOtherAccount',
        effect: Effect.ALLOW,
        principals: [new AccountPrincipal(otherAccount)],
        actions: ['kms:DescribeKey', 'kms:Decrypt'],
        resources: ['*'],
      }),
    );
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'GrantToServicesOfOtherAccount',
        effect: Effect.ALLOW,
        principals: [new AccountPrincipal(otherAccount)],
        actions: ['kms:CreateGrant'],
        resources: ['*'],
        conditions: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      }),
    );
    return key;
  }

  /**
   * The table permissions of AWSBackupServiceRolePolicyForBackup, limited to this table, these vaults and their keys.
   */
  private addRole(
    { name }: Config,
    {
      tableArn,
      vaultArn,
      copyTo,
      key,
      other,
    }: { tableArn: string; vaultArn: string; copyTo: string; key: Key; other: { account: string; region: string } },
  ): Role {
    const allow = (sid: string, actions: string[], resources: string[], conditions?: Record<string, unknown>) =>
      new PolicyStatement({
        sid,
        effect: Effect.ALLOW,
        actions,
        resources,
        ...(conditions === undefined ? {} : { conditions }),
      });
    const recoveryPoints = this.formatArn({
      service: 'backup',
      resource: 'recovery-point',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const otherKeys = this.formatArn({
      service: 'kms',
      ...other,
      resource: 'key',
      resourceName: '*',
    });
    const role = new Role(this, 'Role', {
      description: `Backs up the table of ${name}`,
      assumedBy: new ServicePrincipal('backup.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            allow(
              'BackUpTable',
              ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'],
              [tableArn],
            ),
            allow('WriteToVaults', ['backup:DescribeBackupVault', 'backup:CopyIntoBackupVault'], [vaultArn, copyTo]),
            allow('CopyBackups', ['backup:CopyFromBackupVault'], [recoveryPoints], {
              'ForAllValues:StringEquals': { 'backup:CopyTargets': [copyTo] },
            }),
            allow('TagBackups', ['backup:TagResource'], [recoveryPoints]),
            allow('EncryptBackups', ['kms:DescribeKey', 'kms:Decrypt', 'kms:GenerateDataKey'], [key.keyArn]),
            allow('FindKeyOfCopies', ['kms:DescribeKey'], [otherKeys]),
            allow('GrantToBackup', ['kms:CreateGrant'], [key.keyArn, otherKeys], {
              Bool: { 'kms:GrantIsForAWSResource': 'true' },
            }),
          ],
        }),
      },
    });
    const region = Token.isUnresolved(this.region) ? '<AWS::Region>' : this.region;
    for (const arn of [
      `arn:<AWS::Partition>:backup:${region}:<AWS::AccountId>:recovery-point:*`,
      `arn:<AWS::Partition>:kms:${other.region}:${other.account}:key/*`,
    ]) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${arn}]`,
        reason:
          'Resource names are not known in advance: recovery points are created daily, and the key policy of the other account controls its vault key.',
      });
    }
    return role;
  }
}
