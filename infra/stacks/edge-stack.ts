import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginRequestPolicy,
  PriceClass,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { type Config, dashboardOriginParameter } from '../plan/config.ts';
import { dashboardHeaders } from '../plan/dashboard-headers.ts';
import { edgeSecrets } from './service-function.ts';

interface EdgeStackProps extends StackProps {
  config: Config;
  /** The host of the HTTP API. */
  apiHost: string;
  firewallArn: string | undefined;
}

/**
 * By default CloudFront caches an error for ten seconds, even if the response's own Cache-Control says otherwise. These
 * are all the codes that it caches (developer guide, "HTTP 4xx and 5xx status codes").
 */
const keptErrors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/** Which of CloudFront's locations serve, by the setting `priceClass`. */
const priceClasses: Readonly<Record<Config['priceClass'], PriceClass>> = {
  '100': PriceClass.PRICE_CLASS_100,
  '200': PriceClass.PRICE_CLASS_200,
  all: PriceClass.PRICE_CLASS_ALL,
};

/** The same value as in the functions' responses. */
const strictTransportDays = 365;

/** The single origin of an installation: the dashboard's files from a bucket, and the API under `/v1`. */
export class EdgeStack extends Stack {
  /** The import of the bucket of the dashboard's files, which `npm run deploy` uploads. */
  readonly filesArn: string;

  constructor(scope: Construct, id: string, { config, apiHost, firewallArn, ...props }: EdgeStackProps) {
    super(scope, id, props);
    const { domainName, certificateArn, standby } = config;
    const files = this.addFiles();
    const api = this.apiBehavior(apiHost, config);
    const pages: BehaviorOptions = {
      origin: S3BucketOrigin.withOriginAccessControl(files, {
        // Without permission to list, S3 returns 403 for a missing file, and nobody can list the files.
        originAccessLevels: [AccessLevel.READ],
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      compress: true,
    };
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Dashboard and API of ${config.name}`,
      ...(domainName === undefined || certificateArn === undefined
        ? {}
        : {
            // A domain can be on one distribution only, so a standby is ready to take it (AssociateAlias).
            ...(standby ? {} : { domainNames: [domainName] }),
            certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
          }),
      ...(firewallArn === undefined ? {} : { webAclId: firewallArn }),
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: priceClasses[config.priceClass],
      defaultBehavior: {
        ...pages,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        responseHeadersPolicy: this.addHeaders('PageHeaders', 'no-cache'),
        functionAssociations: [this.addViewerFunction('PageRequest', 'page-request.js')],
      },
      additionalBehaviors: {
        // The names of these files change with their content.
        '/assets/*': {
          ...pages,
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          responseHeadersPolicy: this.addHeaders('AssetHeaders', 'public, max-age=31536000, immutable'),
        },
        '/v1': api,
        '/v1/*': api,
      },
      errorResponses: keptErrors.map(httpStatus => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    acceptFindings(distribution, config);
    // Exported whether the delivery stack imports it or not, because an export in use can't be removed.
    this.filesArn = this.exportValue(files.bucketArn);

    const origin = `https://${domainName ?? distribution.distributionDomainName}`;
    new StringParameter(this, 'DashboardOrigin', {
      parameterName: dashboardOriginParameter(config),
      description: `The address of the dashboard of ${config.name}.`,
      stringValue: config.dashboardOrigin ?? origin,
    });
    new CfnOutput(this, 'Url', { value: `${origin}/v1` });
    new CfnOutput(this, 'FilesBucket', { value: files.bucketName });
    new CfnOutput(this, 'DistributionId', { value: distribution.distributionId });
    new CfnOutput(this, 'EdgeSecretVersion', { value: String(config.edgeSecretVersion) });
    if (domainName !== undefined) {
      new CfnOutput(this, 'DomainTarget', {
        description: `Point ${domainName} here with a CNAME or alias record.`,
        value: distribution.distributionDomainName,
      });
    }
  }

  private addFiles(): IBucket {
    const bucket = new Bucket(this, 'Files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It contains the files of the dashboard, which are public, and only the distribution reads it.',
    });
    // The CDK's types do not allow members to be undefined (exactOptionalPropertyTypes).
    return bucket as IBucket;
  }

  /**
   * Uncached, passing on everything from the viewer except the Host header, by which API Gateway identifies its API.
   */
  private apiBehavior(apiHost: string, config: Config): BehaviorOptions {
    return {
      origin: new HttpOrigin(apiHost, {
        customHeaders: { 'x-origin-secret': edgeSecrets(config)[0] ?? '' },
        // Longer than API Gateway waits for a function.
        readTimeout: Duration.seconds(35),
        keepaliveTimeout: Duration.seconds(60),
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [this.addViewerFunction('ApiRequest', 'api-request.js')],
      // Compressing secrets together with caller-chosen text would reveal them through its length (BREACH).
      compress: false,
    };
  }

  private addViewerFunction(id: string, file: string) {
    return {
      eventType: FunctionEventType.VIEWER_REQUEST,
      function: new EdgeFunction(this, id, {
        code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, '../edge', file) }),
        runtime: FunctionRuntime.JS_2_0,
      }),
    };
  }

  /**
   * The headers of the dashboard's pages, which the local gateway sends too. CloudFront configures some of them
   * separately.
   */
  private addHeaders(id: string, cacheControl: string): ResponseHeadersPolicy {
    const {
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': _noReferrer,
      'x-content-type-options': _nosniff,
      ...others
    } = dashboardHeaders;
    const custom = { ...others, 'cache-control': cacheControl };
    return new ResponseHeadersPolicy(this, id, {
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        contentTypeOptions: { override: true },
        strictTransportSecurity: {
          accessControlMaxAge: Duration.days(strictTransportDays),
          includeSubdomains: true,
          override: true,
        },
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(custom).map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }
}

function acceptFindings(distribution: Distribution, { domainName, waf }: Config): void {
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'The service is for customers in every country.' },
    ...(waf
      ? []
      : [
          {
            id: 'AwsSolutions-CFR2',
            reason: 'A firewall costs more than an idle installation; the setting waf adds one.',
          },
        ]),
    {
      id: 'AwsSolutions-CFR3',
      reason:
        'CloudFront’s log would contain paths with names of keys and tenants, which the API’s access log omits on purpose.',
    },
    ...(domainName !== undefined
      ? []
      : [
          {
            id: 'AwsSolutions-CFR4',
            reason: 'CloudFront’s default address uses CloudFront’s own certificate and minimum TLS version.',
          },
        ]),
  );
}
