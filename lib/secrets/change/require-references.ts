import { maxValueBytes } from '../../contracts/fields/secret-rules.ts';
import { ApiError } from '../../core/errors.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { maxEnvironmentBytes } from '../engine/secret-size.ts';
import type { Target } from './change-request.ts';
import {
  boundsOf,
  dependingOn,
  depthsOf,
  type Graph,
  graphOf,
  orderOf,
  responseBytes,
  type Size,
  sizesOf,
} from './reference-graph.ts';
import { environmentFull, hiddenBytes } from './require-space.ts';

export const maximumDepth = 10;

interface Change extends Pick<Target, 'project' | 'state'> {
  /** All heads before the change. */
  before: ReadonlyMap<string, HeadRecord>;
  heads: readonly HeadRecord[];
  puts: readonly { key: string; value: string }[];
  /** Whether the writer may know how large the values are. */
  mayRead: boolean;
}

/**
 * Checks everything that the keys of an environment would name after a change. Needs no stored value.
 * @throws reference_not_found, reference_cycle, reference_too_deep, key_referenced, payload_too_large
 */
export function requireReferences(change: Change): void {
  const { before, heads, puts } = change;
  const values = new Map(puts.map(({ key, value }) => [key, value]));
  const written = new Set(values.keys());
  const after = graphOf(new Map([...before, ...heads.map(head => [head.key, head] as const)]).values(), values);
  const order = requireSound(after, written);
  if (change.mayRead) requireFitting(change, after, order);
  else requireFittingUnseen(change, after, order, written);
}

/**
 * @param written the keys whose own names are to blame
 * @returns the keys, each after those that it names
 * @throws reference_not_found, reference_cycle, reference_too_deep, key_referenced
 */
export function requireSound(graph: Graph, written: ReadonlySet<string>): readonly string[] {
  requireNamed(graph, written);
  const ordered = orderOf(graph);
  if ('cycle' in ordered) {
    const path = ordered.cycle;
    const message = `The references form a cycle: ${path.slice(0, 12).join(' → ')}`;
    throw new ApiError('reference_cycle', message, { details: { path } });
  }
  const { order } = ordered;
  const tooDeep = [...depthsOf(graph, order)].find(([, depth]) => depth > maximumDepth);
  if (tooDeep !== undefined) {
    const [key, depth] = tooDeep;
    const message = `References may lead through at most ${maximumDepth} keys; those of ${key} lead through ${depth}.`;
    throw new ApiError('reference_too_deep', message, { details: { key, depth, maximumDepth } });
  }
  return order;
}

/** @throws reference_not_found for a key that is written, key_referenced for one that loses what it names */
function requireNamed(graph: Graph, written: ReadonlySet<string>): void {
  const broken = [...graph].flatMap(([key, { names }]) => {
    const references = names.map(([name]) => name).filter(name => !graph.has(name));
    return references.length === 0 ? [] : [{ key, references }];
  });
  const own = broken.find(({ key }) => written.has(key));
  if (own !== undefined) {
    const message = `The value of ${own.key} names ${own.references[0]}, which does not exist in this environment.`;
    throw new ApiError('reference_not_found', message, { details: own });
  }
  const key = broken[0]?.references[0];
  if (key === undefined) return;
  const referencedBy = broken.filter(({ references }) => references.includes(key)).map(one => one.key);
  const message = `The secret ${key} can’t be deleted, because the value of ${referencedBy[0]} names it.`;
  throw new ApiError('key_referenced', message, { details: { key, referencedBy } });
}

/** Rejects only growth, as for the size of the environment. */
function requireFitting({ before, state }: Change, after: Graph, order: readonly string[]): void {
  const sizes = sizesOf(after, order);
  const tooLarge = [...sizes].filter(([, { bytes }]) => bytes > maxValueBytes);
  const sizeBytes = responseBytes(sizes);
  if (tooLarge.length === 0 && sizeBytes <= maxEnvironmentBytes) return;
  const earlier = state.expandingKeys === undefined ? new Map<string, Size>() : sizesBefore(before);
  const grown = tooLarge.find(([key, { bytes }]) => bytes > (earlier.get(key)?.bytes ?? 0));
  if (grown !== undefined) throw expandsTooFar(grown[0], { sizeBytes: grown[1].bytes });
  if (sizeBytes > maxEnvironmentBytes && sizeBytes > responseBytes(earlier)) throw environmentFull({ sizeBytes });
}

function sizesBefore(before: ReadonlyMap<string, HeadRecord>): ReadonlyMap<string, Size> {
  const graph = graphOf(before.values());
  const ordered = orderOf(graph);
  return 'order' in ordered ? sizesOf(graph, ordered.order) : new Map();
}

/**
 * The same for a writer who may not know how large the values are. Each named key counts as much as a value can have, so
 * the answer depends on names and on what they sent, apart from the size of what is stored, whose limit `hiddenBytes`
 * blurs. What the other values expand to is not counted: naming a key often would multiply its size, and measure it.
 */
function requireFittingUnseen(
  { heads, project, state, puts }: Change,
  after: Graph,
  order: readonly string[],
  written: ReadonlySet<string>,
): void {
  for (const { key } of puts) {
    const { bytes = 0, names = [] } = after.get(key) ?? {};
    const expandedBytes = names.reduce((sum, [, count]) => sum + count * maxValueBytes, bytes);
    if (names.length > 0 && expandedBytes > maxValueBytes) throw expandsTooFar(key, {});
  }
  const bounds = boundsOf(after, order);
  const expanded = [...dependingOn(after, order, written)].reduce((sum, key) => sum + (bounds.get(key) ?? 1) - 1, 0);
  if (expanded === 0) return;
  const storedBytes = heads.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, state.sizeBytes);
  const bound = maxEnvironmentBytes - hiddenBytes(project, state);
  if (storedBytes + expanded * maxValueBytes > bound) throw environmentFull({});
}

function expandsTooFar(key: string, details: { sizeBytes?: number }): ApiError {
  const message = `The value of ${key} would have more than ${maxValueBytes} bytes once it is expanded.`;
  return new ApiError('payload_too_large', message, { details: { key, ...details, maximumBytes: maxValueBytes } });
}
