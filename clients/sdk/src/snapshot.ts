import { HoldfastError } from './errors.ts';

/**
 * An environment at one revision. It never changes, and neither JSON nor `util.inspect` shows a value. Values are
 * returned only by name or by `toObject`.
 */
export class Snapshot {
  readonly revision: number;
  /** True if the service was unreachable and `staleIfErrorMs` allowed an earlier answer. */
  readonly stale: boolean;
  readonly #values: ReadonlyMap<string, string>;
  readonly #expanding: ReadonlySet<string>;

  constructor(
    revision: number,
    values: ReadonlyMap<string, string>,
    stale: boolean,
    expanding: ReadonlySet<string> = new Set(),
  ) {
    this.revision = revision;
    this.stale = stale;
    this.#values = values;
    this.#expanding = expanding;
    Object.freeze(this);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** @throws HoldfastError `secret_not_found` if the key is not set; an empty value counts as set */
  require(key: string): string {
    const value = this.#values.get(key);
    if (value === undefined) {
      throw new HoldfastError(`${key} is not set at revision ${this.revision}.`, { code: 'secret_not_found' });
    }
    return value;
  }

  /** Whether the key was set with `expand`, and so may name other keys. */
  expands(key: string): boolean {
    return this.#expanding.has(key);
  }

  /** The keys, in the service's order. */
  keys(): string[] {
    return [...this.#values.keys()];
  }

  /** A new object with all values. It has no prototype, so a key like `constructor` exists only if it was set. */
  toObject(): Record<string, string> {
    const values: Record<string, string> = Object.create(null);
    for (const [key, value] of this.#values) values[key] = value;
    return values;
  }

  toJSON(): { revision: number; keys: string[] } {
    return { revision: this.revision, keys: this.keys() };
  }

  /** Used by `console.log` and `util.inspect` in Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }

  /** The same values, marked as stale. */
  asStale(): Snapshot {
    return new Snapshot(this.revision, this.#values, true, this.#expanding);
  }
}
