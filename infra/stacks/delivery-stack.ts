import {
  ArnFormat,
  CfnOutput,
  DefaultStackSynthesizer,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
  Token,
  Validations,
} from 'aws-cdk-lib';
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
import { aliasName } from '../plan/functions.ts';
import { type PlannedStack, stacksOf } from '../plan/stacks.ts';

const issuer = 'token.actions.githubusercontent.com';
const branch = 'refs/heads/main';
const workflow = '.github/workflows/deliver.yml';

interface DeliveryProps {
  config: Config;
  /** `owner/name` on GitHub. */
  repository: string;
  /** The repository's environments: the last one deploys, the others only show what would change. */
  environments: readonly string[];
  /** The bucket of the dashboard's files, imported from the edge's stack. */
  dashboardFilesArn: string;
}

/**
 * The roles of the delivery pipeline. Only the jobs of the named environments can assume them, in this workflow as it is
 * on the main branch, with a token that GitHub signs for the job; no key is stored anywhere. The roles themselves can
 * only assume those of the CDK's bootstrap, and the one that deploys also uploads the dashboard and reads the account
 * that checks the service. A job that runs without an approval looks up what is deployed, and changes nothing.
 */
export class DeliveryStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { config, repository, environments, dashboardFilesArn, ...props }: StackProps & DeliveryProps,
  ) {
    super(scope, id, props);
    const providerArn = this.providerArn(config);
    const assumedBy = (jobs: readonly string[]) =>
      new WebIdentityPrincipal(providerArn, {
        // STS checks these claims of GitHub's tokens (IAM, "available keys for OIDC federation").
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: jobs.map(environment => `repo:${repository}:environment:${environment}`),
          [`${issuer}:ref`]: branch,
          [`${issuer}:job_workflow_ref`]: `${repository}/${workflow}@${branch}`,
        },
      });
    const deploys = environments.slice(-1);
    const looks = environments.slice(0, -1);
    const role = new Role(this, 'Role', {
      description: `Deploys ${config.name} from ${repository}`,
      maxSessionDuration: Duration.hours(1),
      assumedBy: assumedBy(deploys),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            this.assume('DeployByTheBootstrap', ['deploy', 'file-publishing', 'lookup'], config),
            this.readDeployed(config),
            this.readSender(),
            ...this.deleteOldVersions(config),
            this.uploadDashboard(dashboardFilesArn),
            ...this.readCheckAccount(config),
          ],
        }),
      },
    });
    const written = (region = this.region) => (Token.isUnresolved(region) ? '<AWS::Region>' : region);
    for (const { name, region } of stacksRead(config)) {
      const arn = `arn:<AWS::Partition>:cloudformation:${written(region)}:<AWS::AccountId>:stack/${name}/*`;
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${arn}]`,
        reason:
          'The ARN of a stack ends in an id, and a nested one’s name in another one, that CloudFormation chooses.',
      });
    }
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:${written()}:<AWS::AccountId>:identity/*]`,
      reason: 'The next sender is not known yet, and asking SES about an identity reveals only whether it is verified.',
    });
    for (const qualifier of ['', `:${aliasName}`, ':*']) {
      const arn = `arn:<AWS::Partition>:lambda:${written()}:<AWS::AccountId>:function:${config.name}-*${qualifier}`;
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${arn}]`,
        reason: 'A policy has no room for the name of every function, and versions have numbers that Lambda chooses.',
      });
    }
    const { 'Fn::ImportValue': bucket } = this.resolve(dashboardFilesArn) as { 'Fn::ImportValue': string };
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${bucket}/*]`,
      reason: 'The dashboard’s files have names that change with their content.',
    });
    new CfnOutput(this, 'RoleArn', { value: role.roleArn });
    if (looks.length === 0) return;
    const lookup = new Role(this, 'LookupRole', {
      description: `Shows what a deployment of ${config.name} from ${repository} would change`,
      maxSessionDuration: Duration.hours(1),
      assumedBy: assumedBy(looks),
      inlinePolicies: {
        rights: new PolicyDocument({ statements: [this.assume('LookUpByTheBootstrap', ['lookup'], config)] }),
      },
    });
    new CfnOutput(this, 'LookupRoleArn', { value: lookup.roleArn });
  }

  /** An account has one provider for GitHub at most, which other applications may use too, so it outlives this stack. */
  private providerArn({ githubProvider }: Config): string {
    if (githubProvider === 'existing') {
      return this.formatArn({ service: 'iam', region: '', resource: 'oidc-provider', resourceName: issuer });
    }
    const provider = new CfnOIDCProvider(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIdList: ['sts.amazonaws.com'],
    });
    provider.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return provider.attrArn;
  }

  /** The roles of the bootstrap, with the CDK's names, in every region that has a stack of the installation. */
  private assume(sid: string, names: readonly string[], config: Config): PolicyStatement {
    const { waf, replicaRegion, bootstrapQualifier = DefaultStackSynthesizer.DEFAULT_QUALIFIER } = config;
    const regions = new Set([this.region, ...(waf ? ['us-east-1'] : []), ...(replicaRegion ? [replicaRegion] : [])]);
    return new PolicyStatement({
      sid,
      effect: Effect.ALLOW,
      actions: ['sts:AssumeRole'],
      resources: [...regions].flatMap(region =>
        names.map(name =>
          this.formatArn({
            service: 'iam',
            region: '',
            resource: 'role',
            resourceName: `cdk-${bootstrapQualifier}-${name}-role-${this.account}-${region}`,
          }),
        ),
      ),
    });
  }

  private readDeployed(config: Config): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadDeployed',
      effect: Effect.ALLOW,
      actions: ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
      resources: stacksRead(config).map(({ name, region }) =>
        this.formatArn({
          service: 'cloudformation',
          resource: 'stack',
          resourceName: `${name}/*`,
          ...(region === undefined ? {} : { region }),
        }),
      ),
    });
  }

  private readSender(): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadSender',
      effect: Effect.ALLOW,
      actions: ['ses:GetEmailIdentity'],
      resources: [this.formatArn({ service: 'ses', resource: 'identity', resourceName: '*' })],
    });
  }

  /** Not the functions themselves, and not a version that an alias points to, which Lambda refuses to delete. */
  private deleteOldVersions(config: Config): PolicyStatement[] {
    const arn = (resourceName: string) =>
      this.formatArn({
        service: 'lambda',
        resource: 'function',
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
    const allow = (sid: string, actions: string[], resources: string[]) =>
      new PolicyStatement({ sid, effect: Effect.ALLOW, actions, resources });
    const functions = `${config.name}-*`;
    return [
      allow(
        'ListVersions',
        ['lambda:ListVersionsByFunction', 'lambda:GetAlias'],
        [arn(functions), arn(`${functions}:${aliasName}`)],
      ),
      allow('DeleteOldVersions', ['lambda:DeleteFunction'], [arn(`${functions}:*`)]),
    ];
  }

  private uploadDashboard(filesArn: string): PolicyStatement {
    return new PolicyStatement({
      sid: 'UploadDashboard',
      effect: Effect.ALLOW,
      actions: ['s3:PutObject'],
      resources: [`${filesArn}/*`],
    });
  }

  private readCheckAccount({ checkParameter }: Config): PolicyStatement[] {
    if (checkParameter === undefined) return [];
    return [
      new PolicyStatement({
        sid: 'ReadCheckAccount',
        effect: Effect.ALLOW,
        actions: ['ssm:GetParameter'],
        resources: [this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: checkParameter.slice(1) })],
      }),
    ];
  }
}

/** The stacks that `npm run deploy` looks at first, and those nested in the API's. */
function stacksRead(config: Config): PlannedStack[] {
  return [...stacksOf(config), { name: `${config.name}-api-*`, region: config.region }];
}
