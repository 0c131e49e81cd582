import { randomUUID } from 'node:crypto';
import { type PathParameterName, parameterNames } from '#lib/contracts/path-parameters.ts';
import type { RoutedContract } from '#lib/contracts/routes.ts';

/** What the parameters of a path stand for. */
export type PathValues = Readonly<Partial<Record<PathParameterName, string>>>;

/** Parameters that name nothing, for requests that must be refused or must not find anything. */
export function unknownValues(): PathValues & { id: string } {
  return {
    tokenId: randomUUID(),
    sessionId: randomUUID(),
    passkeyId: randomUUID(),
    linkId: randomUUID(),
    webhookId: randomUUID(),
    deliveryId: randomUUID(),
    identityId: randomUUID(),
    proposalId: randomUUID(),
    id: randomUUID(),
    grantId: randomUUID(),
    token: 'x'.repeat(60),
    planName: 'pro',
  };
}

/** The file that holds what can't be derived from a contract. */
export const sampleFileOf = ({ area }: RoutedContract) => `test/functions/${area}/samples.ts`;

/** The operation's documented request. @throws Error naming the file that has to give a parameter's value */
export function documentedRequest(contract: RoutedContract, values: PathValues) {
  const { method, path, body, bodyExample } = contract;
  const filled = parameterNames(path).reduce<string>((text, name) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(
        `Nothing can be derived for {${name}} in the path of ${contract.operationId}: add a sample of it to ` +
          `${sampleFileOf(contract)}.`,
      );
    }
    return text.replace(`{${name}}`, value);
  }, path);
  return { method, path: filled.slice('/v1'.length), body: body === undefined ? undefined : bodyExample };
}
