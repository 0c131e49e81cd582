import { sealedBytesBesideValue } from '../../crypto/envelope.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { secretSizeBytes } from '../engine/secret-size.ts';

/*
 * Which keys of an environment name which others, with sizes but without values. Everything here takes time in
 * proportion to the number of keys and names. Pure.
 */

export interface Size {
  /** In UTF-8. */
  bytes: number;
  /** In JSON, without quotes. */
  jsonBytes: number;
}

/** A key: the size of its own text, and the keys that it names, each with how often. */
export interface Node extends Size {
  names: readonly (readonly [key: string, count: number])[];
}

export type Graph = ReadonlyMap<string, Node>;

/** @param values new values, whose ciphertexts the heads don't have yet */
export function graphOf(heads: Iterable<HeadRecord>, values: ReadonlyMap<string, string> = new Map()): Graph {
  const nodes = new Map<string, Node>();
  for (const head of heads) if (isLive(head)) nodes.set(head.key, nodeOf(head, values.get(head.key)));
  return nodes;
}

function nodeOf({ key, expands, sealed, sizeBytes = 0 }: HeadRecord, value: string | undefined): Node {
  if (expands !== undefined) return expands;
  const storedBytes = () => Math.max(0, (sealed?.length ?? 0) - sealedBytesBesideValue);
  const bytes = value === undefined ? storedBytes() : Buffer.byteLength(value);
  return { bytes, jsonBytes: sizeBytes - secretSizeBytes(key, ''), names: [] };
}

/** The keys, each after those that it names; or a circle of names, which ends with the key that it begins with. */
export function orderOf(graph: Graph): { order: string[] } | { cycle: string[] } {
  const order = new Set<string>();
  for (const start of graph.keys()) {
    const path: { key: string; names: Node['names']; next: number }[] = [];
    const onPath = new Set<string>();
    const enter = (key: string) => {
      const node = graph.get(key);
      if (node === undefined || order.has(key)) return;
      path.push({ key, names: node.names, next: 0 });
      onPath.add(key);
    };
    enter(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const name = step.names[step.next]?.[0];
      step.next += 1;
      if (name === undefined) {
        path.pop();
        onPath.delete(step.key);
        order.add(step.key);
      } else if (onPath.has(name)) {
        const keys = path.map(({ key }) => key);
        return { cycle: [...keys.slice(keys.indexOf(name)), name] };
      } else enter(name);
    }
  }
  return { order: [...order] };
}

/** How many names lead from each key to a plain value. */
export function depthsOf(graph: Graph, order: readonly string[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const key of order) {
    const below = graph.get(key)?.names.map(([name]) => depths.get(name) ?? 0) ?? [];
    depths.set(
      key,
      below.reduce((deepest, depth) => Math.max(deepest, depth + 1), 0),
    );
  }
  return depths;
}

/** The size of each value after expansion. */
export function sizesOf(graph: Graph, order: readonly string[]): ReadonlyMap<string, Size> {
  const sizes = new Map<string, Size>();
  for (const key of order) {
    let { bytes, jsonBytes, names } = graph.get(key) ?? { bytes: 0, jsonBytes: 0, names: [] };
    for (const [name, count] of names) {
      const named = sizes.get(name) ?? { bytes: 0, jsonBytes: 0 };
      bytes += count * named.bytes;
      jsonBytes += count * named.jsonBytes;
    }
    sizes.set(key, { bytes, jsonBytes });
  }
  return sizes;
}

/** What values take in one response. */
export function responseBytes(sizes: Iterable<readonly [key: string, size: Size]>): number {
  let sum = 0;
  for (const [key, { jsonBytes }] of sizes) sum += secretSizeBytes(key, '') + jsonBytes;
  return sum;
}

/** How many plain values, each as large as can be, bound what each value expands to. Depends on names alone. */
export function boundsOf(graph: Graph, order: readonly string[]): ReadonlyMap<string, number> {
  const bounds = new Map<string, number>();
  for (const key of order) {
    const { names = [] } = graph.get(key) ?? {};
    const named = names.reduce((sum, [name, count]) => sum + count * (bounds.get(name) ?? 1), 0);
    // One for the text around the names, which can't be larger than a plain value.
    bounds.set(key, named + 1);
  }
  return bounds;
}

/** The keys of `changed`, and all whose values depend on them. */
export function dependingOn(graph: Graph, order: readonly string[], changed: ReadonlySet<string>): ReadonlySet<string> {
  const depending = new Set<string>();
  for (const key of order) {
    const isAffected = changed.has(key) || graph.get(key)?.names.some(([name]) => depending.has(name));
    if (isAffected) depending.add(key);
  }
  return depending;
}
