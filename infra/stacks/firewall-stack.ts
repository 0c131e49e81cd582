import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnIPSet, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';
import { passwordFunctions, routedFunctions } from '../plan/functions.ts';

/** Requests per address in five minutes. An office or a build farm behind one address pulls a lot. */
const requestsPerAddress = 20_000;

/**
 * The same for routes that hash a password, so that one client's junk log-ins do not use up the throttle for everyone.
 */
const passwordRequestsPerAddress = 100;

/**
 * Managed rules. Those that inspect bodies only count: a secret may look like an attack, and imports are larger than
 * these rules expect.
 */
const managedRules: readonly { name: string; counting: readonly string[] }[] = [
  { name: 'AWSManagedRulesAmazonIpReputationList', counting: [] },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    counting: [
      'SizeRestrictions_BODY',
      'CrossSiteScripting_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'EC2MetaDataSSRF_BODY',
      // Scripts and small clients send no User-Agent.
      'NoUserAgent_HEADER',
    ],
  },
  {
    name: 'AWSManagedRulesKnownBadInputsRuleSet',
    counting: ['Log4JRCE_BODY', 'JavaDeserializationRCE_BODY', 'ReactJSRCE_BODY'],
  },
];

/** The firewall in front of CloudFront, which only accepts one from us-east-1. */
export class FirewallStack extends Stack {
  readonly arn: string;

  constructor(scope: Construct, id: string, { config, ...props }: StackProps & { config: Config }) {
    super(scope, id, props);
    const passwordPaths = routedFunctions
      .filter(({ name }) => passwordFunctions.has(name))
      .map(({ name }) => pathOf(name));
    const perAddress = (name: string, limit: number, scopeDownStatement?: CfnWebACL.StatementProperty) => ({
      name,
      action: { block: { customResponse: { responseCode: 429 } } },
      statement: {
        rateBasedStatement: {
          limit,
          aggregateKeyType: 'IP',
          evaluationWindowSec: 300,
          ...(scopeDownStatement === undefined ? {} : { scopeDownStatement }),
        },
      },
    });
    const rules = [
      ...this.refuseOtherNetworks(config),
      perAddress('RequestsPerAddress', requestsPerAddress),
      perAddress('PasswordsPerAddress', passwordRequestsPerAddress, {
        orStatement: { statements: passwordPaths.map(isPath) },
      }),
      ...managedRules.map(({ name, counting }) => ({
        name,
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name,
            ruleActionOverrides: counting.map(rule => ({ name: rule, actionToUse: { count: {} } })),
          },
        },
      })),
    ];
    const acl = new CfnWebACL(this, 'Firewall', {
      name: `${config.name}-firewall`,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visible(config.name),
      rules: rules.map((rule, priority) => ({ ...rule, priority, visibilityConfig: visible(rule.name) })),
    });
    this.arn = acl.attrArn;
  }

  /** Lets through only the networks of the installation's file, and the payment provider's signed events. */
  private refuseOtherNetworks({ name, allowedNetworks, stripeSecretKeyParameter }: Config) {
    if (allowedNetworks === undefined) return [];
    const byVersion = Map.groupBy(allowedNetworks, network => (network.includes(':') ? 'IPV6' : 'IPV4'));
    const sets = [...byVersion].map(([ipAddressVersion, addresses]) => ({
      ipSetReferenceStatement: {
        arn: new CfnIPSet(this, `AllowedNetworks${ipAddressVersion}`, {
          name: `${name}-allowed-${ipAddressVersion.toLowerCase()}`,
          scope: 'CLOUDFRONT',
          ipAddressVersion,
          addresses: [...addresses],
        }).attrArn,
      },
    }));
    const events = stripeSecretKeyParameter === undefined ? [] : [isPath(pathOf('receive-provider-event'))];
    const refused = [...sets, ...events].map(statement => ({ notStatement: { statement } }));
    const [only, ...others] = refused;
    return [
      {
        name: 'OtherNetworks',
        action: { block: {} },
        statement: others.length === 0 && only !== undefined ? only : { andStatement: { statements: refused } },
      },
    ];
  }
}

function pathOf(operation: string): string {
  return routedFunctions.find(({ name }) => name === operation)?.routeKey.split(' ')[1] ?? '';
}

function isPath(path: string): CfnWebACL.StatementProperty {
  return {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'EXACTLY',
      searchString: path,
      textTransformations: [{ priority: 0, type: 'NORMALIZE_PATH' }],
    },
  };
}

/** No sampled requests: they would contain paths and headers, including tokens. */
function visible(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
