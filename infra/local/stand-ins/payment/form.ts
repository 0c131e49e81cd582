import type { Metadata } from './objects.ts';

/* Requests to the payment provider's API are forms; its errors are JSON. */

/** An error in the provider's format: https://docs.stripe.com/api/errors */
export class PaymentError extends Error {
  readonly status: number;
  readonly content: Record<string, string>;

  constructor(status: number, type: string, message: string, more: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.content = { type, message, ...more };
  }
}

export function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null || value === '') throw invalid(name, `Missing required param: ${name}.`);
  return value;
}

export function invalid(param: string, message: string): PaymentError {
  return new PaymentError(400, 'invalid_request_error', message, { param });
}

export function missing(param: string, message: string): PaymentError {
  return new PaymentError(404, 'invalid_request_error', message, { param, code: 'resource_missing' });
}

/** `metadata[plan]=pro` → `{plan: 'pro'}`. */
export function metadataOf(form: URLSearchParams, prefix: string): Metadata {
  const members = [...form].flatMap(([name, value]) =>
    name.startsWith(`${prefix}[`) && name.endsWith(']') ? [[name.slice(prefix.length + 1, -1), value]] : [],
  );
  return Object.fromEntries(members) as Metadata;
}
