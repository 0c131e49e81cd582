import { noIdToken } from './id-token-failure.ts';
import { type Assertion, audienceOf, checkIdToken, type IdTokenRequest, type Variables } from './identity.ts';

interface IdTokenSource {
  /** The variables that it needs. A source without any is used only if it is named. */
  needs: readonly string[];
  /** Completes “To use it, …”. */
  toSet: string;
  title: string;
  isAlwaysNew?: true;
  get(request: IdTokenRequest): Promise<string>;
}

/** Every source of ID tokens. The first one whose variables are set is used if none is named. */
export const idTokenSources = {
  command: {
    needs: ['HOLDFAST_ID_TOKEN_COMMAND'],
    toSet: 'set HOLDFAST_ID_TOKEN_COMMAND to a command that prints the token',
    title: 'HOLDFAST_ID_TOKEN_COMMAND',
    get: async request => (await import('./id-token-command.ts')).runIdTokenCommand(request),
  },
  variable: {
    needs: ['HOLDFAST_ID_TOKEN'],
    toSet: 'set HOLDFAST_ID_TOKEN to the token',
    title: 'HOLDFAST_ID_TOKEN',
    get: async ({ variables }) => variables.HOLDFAST_ID_TOKEN ?? '',
  },
  file: {
    needs: ['HOLDFAST_ID_TOKEN_FILE'],
    toSet: 'set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token',
    title: 'HOLDFAST_ID_TOKEN_FILE',
    get: async request => (await import('./id-token-file.ts')).readIdToken(request),
  },
  github: {
    needs: ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'],
    toSet: 'give the GitHub Actions job the permission id-token: write',
    title: 'GitHub Actions',
    isAlwaysNew: true,
    get: async request => (await import('./id-token-github.ts')).askGitHub(request),
  },
  aws: {
    needs: [],
    toSet: 'set HOLDFAST_ID_TOKEN_SOURCE to aws on AWS',
    title: 'AWS STS',
    isAlwaysNew: true,
    get: async request => (await import('./id-token-aws.ts')).askSts(request),
  },
  gcp: {
    needs: [],
    toSet: 'set HOLDFAST_ID_TOKEN_SOURCE to gcp on Google Cloud',
    title: 'Google’s metadata server',
    get: async request => (await import('./id-token-gcp.ts')).askGoogle(request),
  },
} as const satisfies Record<string, IdTokenSource>;

const sources: ReadonlyMap<string, IdTokenSource> = new Map(Object.entries(idTokenSources));

/**
 * The platform's token for this process, from the source that `HOLDFAST_ID_TOKEN_SOURCE` names, or else from the first
 * one whose variables are set.
 * @throws HoldfastError if there is none
 */
export function platformAssertion(
  identity: string,
  variables: Variables = globalThis.process?.env ?? {},
  doFetch: typeof fetch = (input, init) => globalThis.fetch(input, init),
): Assertion {
  const { title, isAlwaysNew = false, get } = sourceIn(variables);
  const request = { audience: audienceOf(identity), variables, fetch: doFetch };
  return { source: title, isAlwaysNew, get: async () => checkIdToken(title, await get(request)) };
}

function sourceIn(variables: Variables): IdTokenSource {
  const { HOLDFAST_ID_TOKEN_SOURCE: name } = variables;
  const missing = ({ needs }: IdTokenSource) => needs.filter(one => !variables[one]);
  if (name) {
    const named = sources.get(name);
    if (named === undefined) {
      throw noIdToken(`HOLDFAST_ID_TOKEN_SOURCE names no source: set it to ${oneOf([...sources.keys()])}.`);
    }
    const [absent] = missing(named);
    if (absent === undefined) return named;
    throw noIdToken(`HOLDFAST_ID_TOKEN_SOURCE is ${name}, but ${absent} is not set: ${named.toSet}.`);
  }
  const all = [...sources.values()];
  const found = all.find(source => source.needs.length > 0 && missing(source).length === 0);
  if (found !== undefined) return found;
  throw noIdToken(
    `HOLDFAST_IDENTITY is set, but nothing provides its ID token: ${oneOf(all.map(({ toSet }) => toSet))}.`,
  );
}

const oneOf = (all: readonly string[]): string => `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
