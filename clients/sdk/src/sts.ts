import { noIdToken, reasonOf } from './id-token-failure.ts';

const limitMs = 10_000;

export const stsVersion = '2011-06-15';

/** The DNS suffixes of AWS's partitions, by the regions' first words. All other regions use the last one. */
const suffixes = {
  'cn-': 'amazonaws.com.cn',
  'eusc-': 'amazonaws.eu',
  'us-iso-': 'c2s.ic.gov',
  'us-isob-': 'sc2s.sgov.gov',
  'eu-isoe-': 'cloud.adc-e.uk',
  'us-isof-': 'csp.hci.ic.gov',
  'eu-isof-': 'csp.hci.ic.gov',
  '': 'amazonaws.com',
};

/** What to do about an error of STS. Its messages are not shown, because they may quote the session token. */
const remedies: Readonly<Record<string, string>> = {
  AccessDenied: 'allow the role sts:GetWebIdentityToken',
  OutboundWebIdentityFederationDisabled:
    'enable outbound identity federation in the account (aws iam enable-outbound-web-identity-federation)',
  SessionDurationEscalation: 'wait for new AWS credentials, because these expire within five minutes',
};
const otherRemedy = 'check the AWS credentials and AWS_REGION';

export interface Sts {
  url: string;
  /** Calls an action. @returns the text of an XML element in the answer, by its name */
  call(
    parameters: Readonly<Record<string, string>>,
    sign?: (body: string) => Promise<Record<string, string>>,
  ): Promise<(element: string) => string>;
}

/** STS in a region; GetWebIdentityToken is not available at the global endpoint. */
export function stsIn(region: string, endpoint: string | undefined, doFetch: typeof fetch): Sts {
  const [, suffix] = Object.entries(suffixes).find(([prefix]) => region.startsWith(prefix)) as [string, string];
  const given = endpoint || `https://sts.${region}.${suffix}`;
  if (!URL.canParse(given)) throw noIdToken(`${given} is not an address: set AWS_REGION or AWS_ENDPOINT_URL_STS.`);
  const url = new URL(given).href;
  return {
    url,
    call: async (parameters, sign) => {
      const action = parameters.Action;
      const body = new URLSearchParams(parameters).toString();
      const headers = (await sign?.(body)) ?? { 'content-type': 'application/x-www-form-urlencoded' };
      let answer: { status: number; text: string };
      try {
        const signal = AbortSignal.timeout(limitMs);
        const response = await doFetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
        answer = { status: response.status, text: await response.text() };
      } catch (error) {
        const tried = `AWS STS at ${url} did not answer ${action} (${reasonOf(error)})`;
        throw noIdToken(`${tried}: check AWS_REGION and AWS_ENDPOINT_URL_STS.`, { retryable: true, cause: error });
      }
      const { status, text } = answer;
      const element = (name: string) => elementOf(text, name) ?? '';
      if (status === 200) return element;
      const code = /^\w{1,100}$/.exec(element('Code'))?.[0].replace(/Exception$/, '');
      const tried = `AWS STS at ${url} refused ${action} (${[status, code].join(' ').trim()})`;
      const retryable = status >= 500 || status === 429 || code === 'Throttling';
      throw noIdToken(`${tried}: ${remedies[code ?? ''] ?? otherRemedy}.`, { retryable });
    },
  };
}

/** The text of the first element of this name that contains only text. */
function elementOf(xml: string, name: string): string | undefined {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => entities[entity] ?? '').trim();
}
