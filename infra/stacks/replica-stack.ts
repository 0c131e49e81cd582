import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnAlias, CfnReplicaKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';

interface ReplicaStackProps extends StackProps {
  config: Config;
  /** The ARN of the key in the first region. */
  keyArn: string;
}

/**
 * The replica of the key in the second region, which can decrypt the values there. The replica of the table belongs to
 * the first region's stack, because CloudFormation manages a global table as a whole.
 */
export class ReplicaStack extends Stack {
  constructor(scope: Construct, id: string, { config, keyArn, ...props }: ReplicaStackProps) {
    super(scope, id, props);
    const key = new CfnReplicaKey(this, 'Key', {
      primaryKeyArn: keyArn,
      description: `Unwraps the data keys of ${config.name} if its region is lost.`,
      pendingWindowInDays: 30,
      keyPolicy: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { AWS: this.formatArn({ service: 'iam', region: '', resource: 'root' }) },
            Action: 'kms:*',
            Resource: '*',
          },
        ],
      },
    });
    key.applyRemovalPolicy(RemovalPolicy.RETAIN);
    new CfnAlias(this, 'KeyAlias', { aliasName: `alias/${config.name}`, targetKeyId: key.attrKeyId });
    new CfnOutput(this, 'KeyArn', { value: key.attrArn });
  }
}
