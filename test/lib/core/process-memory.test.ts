import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  cachedRead,
  oncePerProcess,
  processCollection,
  processVariable,
  resetProcessMemory,
} from '#lib/core/process-memory.ts';

afterEach(() => void vi.useRealTimers());

describe('the memory of a process', () => {
  it('is reset by name, without what has other names', () => {
    const counter = processVariable('test-counter', () => 0);
    const names = processCollection('test-names', new Set<string>());
    counter.value = 5;
    names.add('ada');
    resetProcessMemory('test-counter');
    expect([counter.value, names.size]).toEqual([0, 1]);
    resetProcessMemory('test-names');
    expect(names.size).toBe(0);
  });

  it('creates a value when it is first needed, and again after a reset', () => {
    const create = vi.fn(() => ({}));
    const client = oncePerProcess('test-client', create);
    expect(create).not.toHaveBeenCalled();
    expect(client()).toBe(client());
    resetProcessMemory('test-client');
    client();
    expect(create).toHaveBeenCalledTimes(2);
  });

  it('counts from before a read, even if starting the read takes long', async () => {
    vi.useFakeTimers();
    const read = vi.fn(async () => vi.advanceTimersByTime(400));
    const kept = cachedRead('test-slow-read', 1000, read);
    await kept();
    vi.advanceTimersByTime(600);
    await kept();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('shares one read among concurrent callers, keeps it for a while, and does not keep a failed one', async () => {
    vi.useFakeTimers();
    const read = vi.fn(async (key: string) => key);
    const kept = cachedRead('test-read', 1000, read);
    expect(await Promise.all([kept('a'), kept('a'), kept('b')])).toEqual(['a', 'a', 'b']);
    expect(read).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1000);
    read.mockRejectedValueOnce(new Error('away'));
    await expect(kept('a')).rejects.toThrow('away');
    expect(await kept('a')).toBe('a');
    expect(read).toHaveBeenCalledTimes(4);
  });
});
