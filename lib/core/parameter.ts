import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { callLimits } from './call-limits.ts';
import { cachedRead, oncePerProcess } from './process-memory.ts';
import { minuteMs } from './time.ts';

const parameterClient = /* @__PURE__ */ oncePerProcess('ssm-client', () => {
  return new SSMClient({ ...callLimits, requestHandler: { ...callLimits.requestHandler, requestTimeout: 3000 } });
});

// Not computed in the call below, because esbuild would then keep it in every bundle.
const keptMs = 5 * minuteMs;

/**
 * The value of an SSM parameter, at most five minutes old; undefined if it is missing or blank. So warm functions rarely
 * wait for SSM, and a rotated secret takes effect soon.
 */
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
