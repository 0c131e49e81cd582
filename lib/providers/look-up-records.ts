import { invokeFunction } from '../core/invoke-function.ts';
import { requiredSetting } from '../core/settings.ts';

/**
 * A domain's TXT records, looked up by the one function that may talk to customers' hosts; undefined if no name server
 * answered.
 * @throws Error if the function can't be reached
 */
export async function lookUpRecords(domain: string): Promise<readonly unknown[] | undefined> {
  const answer = await invokeFunction({
    functionName: requiredSetting('ISSUER_KEYS_FUNCTION'),
    event: { domain },
    timeoutMs: 10_000,
    maximumAnswerBytes: 400 * 1024,
  });
  const { records } = (answer ?? {}) as { records?: unknown };
  return Array.isArray(records) ? records : undefined;
}
