import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** Makes a value before the tests around the call, which share it, and stops or removes it after them. */
export function shared<T extends object>(make: () => Promise<T> | T): T {
  return proxyOf(make, beforeAll, afterAll);
}

/** Makes a value before each test around the call, and stops or removes it afterwards. */
export function fresh<T extends object>(make: () => Promise<T> | T): T {
  return proxyOf(make, beforeEach, afterEach);
}

/** The value, which is stopped or removed once the running test has ended. */
export async function untilEnd<T extends object>(made: Promise<T> | T): Promise<T> {
  const value = await made;
  onTestFinished(() => end(value));
  return value;
}

/** A new directory, which is removed after the tests around the call, or when the given hook says so. */
export function scratchDirectory(atEnd: (remove: () => void) => void = afterAll): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-'));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function end(value: { stop?: () => unknown; remove?: () => unknown } = {}): Promise<void> {
  await (value.stop ?? value.remove)?.call(value);
}

/** An object that behaves like the value made last, so that a test file can name the value before it exists. */
function proxyOf<T extends object>(make: () => Promise<T> | T, start: typeof beforeAll, after: typeof afterAll): T {
  let value: T | undefined;
  start(async () => {
    value = await make();
  });
  after(async () => {
    await end(value);
    value = undefined;
  });
  const current = () => {
    if (value === undefined) throw new Error('This value exists only while tests run.');
    return value;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const member = Reflect.get(current(), name);
      return typeof member === 'function' ? member.bind(current()) : member;
    },
    set: (_, name, content) => Reflect.set(current(), name, content),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(current(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  });
}
