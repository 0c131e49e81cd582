/*
 * What a process keeps between requests. Every module-level variable, Map and Set is registered here, so tests can
 * reset it.
 */
const resets = new Map<string, () => void>();

/** Forgets what is kept under these names; without names, everything. Only for tests. */
export function resetProcessMemory(...names: readonly string[]): void {
  for (const name of names.length === 0 ? resets.keys() : names) resets.get(name)?.();
}

export function processVariable<T>(name: string, initial: () => T): { value: T } {
  const variable = { value: initial() };
  resets.set(name, () => void Object.assign(variable, { value: initial() }));
  return variable;
}

export function processCollection<C extends { clear(): void }>(name: string, collection: C): C {
  resets.set(name, () => collection.clear());
  return collection;
}

export function oncePerProcess<T>(name: string, create: () => T): () => T {
  const variable = processVariable<{ created: T } | undefined>(name, () => undefined);
  return () => {
    variable.value ??= { created: create() };
    return variable.value.created;
  };
}

/** A read whose result is kept for a while, counted from before the read. Concurrent callers share a read. */
export function cachedRead<T>(
  name: string,
  keptMs: number,
  read: (key: string) => Promise<T>,
): (key?: string) => Promise<T> {
  const reads = processCollection(name, new Map<string, { result: Promise<T>; startedAtMs: number }>());
  return (key = '') => {
    const cached = reads.get(key);
    if (cached !== undefined && Date.now() - cached.startedAtMs < keptMs) return cached.result;
    const startedAtMs = Date.now();
    const result = read(key);
    const started = { result, startedAtMs };
    reads.set(key, started);
    result.catch(() => {
      if (reads.get(key) === started) reads.delete(key);
    });
    return result;
  };
}
