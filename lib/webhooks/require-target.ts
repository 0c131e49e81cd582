import { invalidRequest } from '../http/errors.ts';
import { settings } from '../settings.ts';
import { targetProblem } from './target.ts';

/** @throws invalid_request where the URL's text alone says that nothing may ever be sent to it */
export function requireTarget(url: string): void {
  const problem = targetProblem(url, { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK });
  if (problem !== undefined) throw invalidRequest([{ path: 'url', message: problem }]);
}
