import { invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { targetProblem } from '../deliveries/target.ts';

/** @throws invalid_request if the URL's text alone shows that nothing may be sent to it */
export function requireTarget(url: string): void {
  const problem = targetProblem(url, { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK });
  if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
}
