import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { dashboardHeaders } from '#infra/plan/dashboard-headers.ts';
import { exampleSettings, fullSettings, synthesize } from '#test/support/installation.ts';

const installation = synthesize(fullSettings);
const { ofType, propertiesOf, templates } = installation;
const configOf = ({ single }: typeof installation) =>
  single('AWS::CloudFront::Distribution').Properties.DistributionConfig;
const config = configOf(installation);
const idOf = (reference: Record<string, unknown>) => JSON.stringify(reference);

interface Behavior {
  PathPattern?: string;
  [member: string]: unknown;
}
const behaviors: Behavior[] = [{ ...config.DefaultCacheBehavior, PathPattern: '*' }, ...config.CacheBehaviors];
const behavior = (path: string) => behaviors.find(({ PathPattern }) => PathPattern === path) ?? {};

/** CloudFront's managed policies, by their published ids. */
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const cachingOptimized = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const allViewerExceptHost = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

describe('the edge', () => {
  test('routes every path under /v1 to the API, and everything else to the dashboard', () => {
    expect(behaviors.map(({ PathPattern }) => PathPattern)).toEqual(['*', '/assets/*', '/v1', '/v1/*']);
    const origins = new Map(config.Origins.map((origin: Record<string, unknown>) => [origin.Id, origin]));
    const originsOf = (...paths: string[]) => paths.map(path => origins.get(behavior(path).TargetOriginId));
    const gateway = { CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginReadTimeout: 35 } };
    expect(originsOf('/v1', '/v1/*')).toMatchObject([gateway, gateway]);
    const bucket = { S3OriginConfig: { OriginAccessIdentity: '' }, OriginAccessControlId: expect.anything() };
    expect(originsOf('*', '/assets/*')).toMatchObject([bucket, bucket]);
  });

  test('caches no API response, and forwards everything that the viewer sent except the host', () => {
    expect(behavior('/v1/*')).toMatchObject({
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      CachePolicyId: cachingDisabled,
      OriginRequestPolicyId: allViewerExceptHost,
      ViewerProtocolPolicy: 'https-only',
      Compress: false,
    });
    expect(behavior('/v1/*').ResponseHeadersPolicyId).toBeUndefined();
  });

  test('caches no errors, and never replaces one with a page', () => {
    const errors: Record<string, unknown>[] = config.CustomErrorResponses;
    expect(errors.map(({ ErrorCode }) => ErrorCode)).toEqual(expect.arrayContaining([404, 500, 502, 503, 504]));
    for (const error of errors) expect(Object.keys(error).sort()).toEqual(['ErrorCachingMinTTL', 'ErrorCode']);
    expect(new Set(errors.map(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL))).toEqual(new Set([0]));
  });

  test('caches files whose names change with their content, and revalidates the page each time', () => {
    expect(behavior('*').CachePolicyId).toBe(cachingDisabled);
    expect(behavior('/assets/*').CachePolicyId).toBe(cachingOptimized);
    const policies = ofType('AWS::CloudFront::ResponseHeadersPolicy');
    const cacheControl = (path: string) => {
      const policy = policies.find(({ id }) => idOf(behavior(path).ResponseHeadersPolicyId as never).includes(id));
      return headersOf(policy?.resource.Properties).get('cache-control');
    };
    expect(cacheControl('*')).toBe('no-cache');
    expect(cacheControl('/assets/*')).toBe('public, max-age=31536000, immutable');
  });

  test('sends the dashboard’s security headers like the local gateway, and requires https', () => {
    const policies = propertiesOf('AWS::CloudFront::ResponseHeadersPolicy');
    expect(policies).toHaveLength(2);
    for (const policy of policies) {
      const sent = headersOf(policy);
      for (const [name, value] of Object.entries(dashboardHeaders)) expect(sent.get(name), name).toBe(value);
      expect(sent.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    }
  });

  test('reads a private bucket that only this distribution can access', () => {
    const properties = (type: string) => installation.single(type).Properties;
    expect(properties('AWS::S3::Bucket').PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const allowed = properties('AWS::S3::BucketPolicy').PolicyDocument.Statement.filter(
      ({ Effect }: { Effect: string }) => Effect === 'Allow',
    );
    for (const { Principal, Condition } of allowed) {
      expect(Principal).toEqual({ Service: 'cloudfront.amazonaws.com' });
      expect(JSON.stringify(Condition.StringEquals)).toContain(':distribution/');
    }
    expect(allowed.flatMap(({ Action }: { Action: string }) => Action)).toEqual(['s3:GetObject']);
  });

  test('has the installation’s own domain, or a CloudFront address that the functions get at run time', () => {
    const ViewerCertificate = { MinimumProtocolVersion: 'TLSv1.2_2021' };
    expect(config).toMatchObject({ Aliases: ['secrets.example.com'], ViewerCertificate });
    const own = synthesize();
    expect(configOf(own).Aliases).toBeUndefined();
    const { Name, Value } = own.single('AWS::SSM::Parameter').Properties;
    expect(Name).toBe('/holdfast/dashboard-origin');
    expect(JSON.stringify(Value)).toContain('DomainName');
    expect(own.settingsOf('register')).toMatchObject({ DASHBOARD_ORIGIN_PARAMETER: '/holdfast/dashboard-origin' });
    expect(own.settingsOf('register')).not.toHaveProperty('DASHBOARD_ORIGIN');
    expect(JSON.stringify(own.rights().get('register'))).toContain(':parameter/holdfast/dashboard-origin');
    expect(JSON.stringify(own.rights().get('pull-secrets'))).not.toContain('ssm:');
  });

  test('passes the functions the origin of a dashboard elsewhere', () => {
    const elsewhere = { dashboardOrigin: 'https://app.example.org', sessionCookie: 'cross-site' };
    const register = synthesize({ ...exampleSettings, ...elsewhere }).settingsOf('register');
    expect(register?.DASHBOARD_ORIGIN).toBe('https://app.example.org');
  });

  test('authenticates with a secret whose value is in no template, and the functions also accept the previous one', () => {
    const second = synthesize({ ...fullSettings, edgeSecretVersion: 2 });
    const sentBy = (one: typeof installation) =>
      configOf(one).Origins.flatMap(
        ({ OriginCustomHeaders = [] }: { OriginCustomHeaders?: unknown[] }) => OriginCustomHeaders,
      );
    const reference = (version: number) => `{{resolve:secretsmanager:holdfast/edge-${version}:SecretString:::}}`;
    expect(sentBy(installation)).toEqual([{ HeaderName: 'x-origin-secret', HeaderValue: reference(1) }]);
    expect(sentBy(second)).toEqual([{ HeaderName: 'x-origin-secret', HeaderValue: reference(2) }]);
    const accepted = new Set(second.settings().map(({ EDGE_SECRETS }) => EDGE_SECRETS));
    expect(accepted).toEqual(new Set([`${reference(2)},${reference(1)}`, undefined]));
    const names = second.propertiesOf('AWS::SecretsManager::Secret').map(({ Name }) => Name);
    expect(names).toEqual(['holdfast/edge-2', 'holdfast/edge-1']);
  });

  test('has a firewall if configured, with a rate limit per address', () => {
    const protectedOne = synthesize({ ...fullSettings, waf: true, region: 'eu-central-1' });
    const { Scope, DefaultAction, Rules } = protectedOne.single('AWS::WAFv2::WebACL').Properties;
    expect({ Scope, DefaultAction }).toEqual({ Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} } });
    const rates = Rules.flatMap(
      ({ Statement }: { Statement: { RateBasedStatement?: object } }) => Statement.RateBasedStatement ?? [],
    );
    expect(rates).toMatchObject([20_000, 100].map(Limit => ({ AggregateKeyType: 'IP', Limit })));
    for (const path of ['login', 'register', 'reset-password', 'change-password']) {
      expect(JSON.stringify(rates[1])).toContain(`"/v1/auth/${path}"`);
    }
    // A secret may look like an attack, so rules that inspect bodies only count.
    const managed = JSON.stringify(Rules);
    for (const rule of ['SizeRestrictions_BODY', 'CrossSiteScripting_BODY', 'Log4JRCE_BODY']) {
      expect(managed).toContain(`{"ActionToUse":{"Count":{}},"Name":"${rule}"}`);
    }
    expect(configOf(protectedOne).WebACLId).toBeDefined();
    expect(config.WebACLId).toBeUndefined();
  });

  test('is a stack of its own that no other stack depends on', () => {
    expect([...templates.keys()]).toContain('holdfast-edge');
    for (const [name, template] of templates) {
      if (name !== 'holdfast-edge') expect(JSON.stringify(template)).not.toContain('holdfast-edge:');
    }
  });
});

function headersOf({ ResponseHeadersPolicyConfig: policy }: ReturnType<typeof JSON.parse>): Map<string, string> {
  const { ContentSecurityPolicy, ReferrerPolicy, StrictTransportSecurity } = policy.SecurityHeadersConfig;
  const { AccessControlMaxAgeSec: seconds, IncludeSubdomains: all } = StrictTransportSecurity;
  return new Map([
    ['content-security-policy', ContentSecurityPolicy.ContentSecurityPolicy],
    ['referrer-policy', ReferrerPolicy.ReferrerPolicy],
    ...(policy.SecurityHeadersConfig.ContentTypeOptions ? ([['x-content-type-options', 'nosniff']] as const) : []),
    ['strict-transport-security', `max-age=${seconds}${all ? '; includeSubDomains' : ''}`],
    ...policy.CustomHeadersConfig.Items.map(({ Header, Value }: { Header: string; Value: string }) => [Header, Value]),
  ] as [string, string][]);
}

interface EdgeRequest {
  uri: string;
  headers: Record<string, { value: string }>;
}

function runEdgeFunction(file: string, uri: string, headers: EdgeRequest['headers'] = {}): EdgeRequest {
  const code = readFileSync(join(import.meta.dirname, '../../../infra/edge', file), 'utf8');
  const deployed = propertiesOf('AWS::CloudFront::Function');
  expect(deployed.map(({ FunctionCode }) => FunctionCode)).toContain(code);
  for (const { FunctionConfig } of deployed) expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0');
  const host = { value: 'd111.cloudfront.net' };
  const event = {
    version: '1.0',
    context: { distributionDomainName: 'd111.cloudfront.net', eventType: 'viewer-request', requestId: 'Z4k' },
    viewer: { ip: '2001:db8::7' },
    request: { method: 'GET', uri, querystring: {}, headers: { host, ...headers }, cookies: {} },
  };
  return runInNewContext(`${code}; handler(event)`, { event }) as EdgeRequest;
}

describe('the edge’s function on requests for the dashboard', () => {
  const environment = '/organizations/acme/projects/web-shop/environments/dev';
  test.each(['/', '/log-in', environment, '/organizations/acme/', '/index.html'])('has %s show the page', uri => {
    expect(runEdgeFunction('page-request.js', uri).uri).toBe('/index.html');
  });

  test.each(['/assets/main-4f2a.js', '/robots.txt', '/install.sh', '/run.sh'])('leaves the file %s alone', uri => {
    expect(runEdgeFunction('page-request.js', uri).uri).toBe(uri);
  });
});

describe('the edge’s function on requests for the API', () => {
  test.each<[string, EdgeRequest['headers']]>([
    ['passes on the viewer’s address', {}],
    ['replaces an address that the viewer made up', { 'x-viewer-address': { value: '198.51.100.1' } }],
  ])('%s', (_, sent) => {
    const request = runEdgeFunction('api-request.js', '/v1/auth/me', sent);
    expect(request).toMatchObject({ uri: '/v1/auth/me', headers: { 'x-viewer-address': { value: '2001:db8::7' } } });
  });
});
