import { ApiError } from '../core/errors.ts';
import type { HeadRecord } from '../table/records/secret.ts';
import { graphOf, orderOf, responseBytes, type Size, sizesOf } from './change/reference-graph.ts';
import { maxEnvironmentBytes } from './engine/secret-size.ts';

/**
 * Checks what values would take before any is opened. The change of a writer who may not read is held only to a bound.
 * @param needed the heads of these values and of all that they name
 * @throws payload_too_large
 */
export function requireFittingExpanded(shown: readonly HeadRecord[], needed: readonly HeadRecord[]): void {
  if (shown.every(({ expands }) => expands === undefined)) return;
  const sizeBytes = expandedBytes(shown, needed);
  if (sizeBytes <= maxEnvironmentBytes) return;
  const message = 'The expanded values do not fit in one response. Request fewer secrets, with keys.';
  throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maxEnvironmentBytes } });
}

/** What the expanded values take in one response. @param needed the heads of these values and of all that they name */
export function expandedBytes(shown: readonly HeadRecord[], needed: readonly HeadRecord[]): number {
  const graph = graphOf(needed);
  const ordered = orderOf(graph);
  const sizes = 'order' in ordered ? sizesOf(graph, ordered.order) : new Map<string, Size>();
  const keys = new Set(shown.map(({ key }) => key));
  return responseBytes([...sizes].filter(([key]) => keys.has(key)));
}
