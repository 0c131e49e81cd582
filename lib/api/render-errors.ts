import type { Contract } from '../contracts/contract.ts';
import type { Middleware } from './open-request.ts';
import { explainNotFound } from './parse-request.ts';
import { renderError, toApiError } from './respond.ts';

/**
 * Renders every error in the one error shape. Unexpected errors are logged with their stack and trigger an alarm;
 * expected rejections are warnings.
 */
export function renderErrors(contract: Contract): Middleware {
  return {
    onError: request => {
      const { source, log } = request.context.opened;
      const error = explainNotFound(contract, request.event, toApiError(request.error));
      if (error.status >= 500) {
        if (error.isExpected) log.warn(`returned ${error.code}`, { reason: error.message });
        else log.error(`returned ${error.code}`, error.cause ?? error);
      }
      request.response = renderError(error, source.requestId);
    },
  };
}
