import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  CfnOIDCProvider,
  Effect,
  PolicyDocument,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';

const issuer = 'token.actions.githubusercontent.com';

/** The roles of a bootstrapped account that `cdk diff` and `cdk deploy` use, with the CDK's default names. */
const bootstrapRoles = ['deploy', 'file-publishing', 'lookup'];

/**
 * The role of the delivery pipeline. Only jobs of the named environments of one repository can assume it, with a token
 * that GitHub signs for the job; no key is stored anywhere. The role itself can only assume the roles of the CDK's
 * bootstrap and read the account that checks the service.
 */
export class DeliveryStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { config, repository, environments, ...props }: StackProps & DeliveryProps,
  ) {
    super(scope, id, props);
    const provider = new CfnOIDCProvider(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIdList: ['sts.amazonaws.com'],
    });
    const roles = bootstrapRoles.map(role =>
      this.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: `cdk-hnb659fds-${role}-role-${this.account}-${this.region}`,
      }),
    );
    const { checkParameter } = config;
    const role = new Role(this, 'Role', {
      description: `Deploys ${config.name} from ${repository}`,
      maxSessionDuration: Duration.hours(1),
      assumedBy: new WebIdentityPrincipal(provider.attrArn, {
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: environments.map(environment => `repo:${repository}:environment:${environment}`),
        },
      }),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: 'DeployByTheBootstrap',
              effect: Effect.ALLOW,
              actions: ['sts:AssumeRole'],
              resources: roles,
            }),
            ...(checkParameter === undefined
              ? []
              : [
                  new PolicyStatement({
                    sid: 'ReadCheckAccount',
                    effect: Effect.ALLOW,
                    actions: ['ssm:GetParameter'],
                    resources: [
                      this.formatArn({
                        service: 'ssm',
                        resource: 'parameter',
                        resourceName: checkParameter.slice(1),
                      }),
                    ],
                  }),
                ]),
          ],
        }),
      },
    });
    new CfnOutput(this, 'RoleArn', { value: role.roleArn });
  }
}

interface DeliveryProps {
  config: Config;
  /** `owner/name` on GitHub. */
  repository: string;
  /** The repository's environments whose jobs may deploy this installation. */
  environments: readonly string[];
}
