import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** Makes a value before the tests around the call, which share it, and stops or removes it after them. */
export function shared<T extends object>(make: () => Promise<T> | T): T {
  return proxyOf(make, beforeAll, afterAll);
}

/** Makes a value before each test around the call, and stops or removes it afterwards. */
export function fresh<T extends object>(make: () => Promise<T> | T): T {
  return proxyOf(make, beforeEach, afterEach);
}

/** An object that behaves like the value made last, so that a test file can name the value before it exists. */
function proxyOf<T extends object>(make: () => Promise<T> | T, start: typeof beforeAll, end: typeof afterAll): T {
  let value: T | undefined;
  start(async () => {
    value = await make();
  });
  end(async () => {
    const { stop, remove } = (value ?? {}) as { stop?: () => unknown; remove?: () => unknown };
    await (stop ?? remove)?.call(value);
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
