import type { HoldfastError } from './errors.ts';

export interface CallOptions {
  signal?: AbortSignal;
}

/** How old an answer may be. Both options are off by default. */
export interface CacheOptions {
  /** An answer this young is returned without asking the service. */
  maxAgeMs?: number;
  /** During an outage, an answer confirmed this recently is returned, marked `stale`. Never after 401, 403, 404. */
  staleIfErrorMs?: number;
}

export interface PullOptions extends CallOptions, CacheOptions {
  /** The environment as it was at this revision. */
  revision?: number;
  /** Only these keys. A missing key is an error. */
  keys?: readonly string[];
  /** Values that name other keys as they were set, instead of expanded. */
  raw?: boolean;
}

/** `describe` adds what the template says about each key. */
export type KeyQuery = { limit?: number; offset?: number; search?: string; revision?: number; describe?: boolean };

export interface LayerOptions extends CallOptions, CacheOptions {
  /** Only these keys. A key that no layer has is an error. */
  keys?: readonly string[];
  /** Values that name other keys of their layer as they were set, instead of expanded. */
  raw?: boolean;
}

export type HistoryQuery = { values?: boolean; limit?: number; offset?: number };

export type RevisionQuery = { limit?: number; before?: number };

export interface WriteOptions extends CallOptions {
  /** Changes that revision of the environment only. */
  ifRevision?: number;
  /** Why: one line for the revision list and the audit log. */
  message?: string;
}

export interface ImportDotenvOptions extends WriteOptions {
  /** Whose file it is. Without it, the answer lists in `ambiguous` what tools read differently; `strict` refuses that. */
  dialect?: 'strict' | 'node' | 'python' | 'docker' | 'compose' | 'systemd' | 'sh';
}

/** A value that names other keys of its environment as `${KEY}`, which pulls replace with their values. */
export interface ExpandingValue {
  value: string;
  expand: true;
}

/** New values by key. Without `expand`, every character stays as it is. */
export type NewValues = Readonly<Record<string, string | ExpandingValue>>;

/** The same, or how the service makes them. */
export type NewOrGenerated = Readonly<Record<string, string | ExpandingValue | GeneratedValue>>;

export interface SetOptions extends WriteOptions {
  /** Whether the value names other keys of the environment as `${KEY}`, which pulls replace with their values. */
  expand?: boolean;
  /** Changes that version of the key only; 0 means the key must not exist. */
  ifVersion?: number;
}

/** A value that the service makes and never shows. */
export interface GeneratedValue {
  generate: {
    /** How many characters: 8 to 4096, by default 32. */
    length?: number;
    /** At least 10 different characters to choose from; by default letters and digits. */
    alphabet?: string;
  };
}

export type GenerateOptions = GeneratedValue['generate'] & Omit<SetOptions, 'expand'>;

export interface RestoreOptions extends WriteOptions {
  /** Only these keys. */
  keys?: readonly string[];
}

export interface Changes {
  set?: NewOrGenerated;
  delete?: readonly string[];
  message?: string;
}

export interface WatchOptions extends CallOptions {
  /** 10,000 by default. */
  intervalMs?: number;
  /** Called for each poll that fails during an outage; the watch continues. */
  onError?: (error: HoldfastError) => void;
}
