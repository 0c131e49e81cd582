import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { callLimits } from './call-limits.ts';
import { cachedRead, oncePerProcess } from './process-memory.ts';

const parameterClient = /* @__PURE__ */ oncePerProcess('ssm-client', () => {
  return new SSMClient({ ...callLimits, requestHandler: { ...callLimits.requestHandler, requestTimeout: 3000 } });
});

/** Without an imported factor, which would keep this module, with the client, in bundles that don't use it. */
const keptMs = 5 * 60_000;

/** An SSM parameter, at most five minutes old, so that a rotated secret soon applies; undefined if missing or blank. */
export const parameter = /* @__PURE__ */ cachedRead('parameters', keptMs, readParameter);

async function readParameter(name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await parameterClient().send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    const value = Parameter?.Value?.trim();
    return value === '' ? undefined : value;
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
    throw error;
  }
}
