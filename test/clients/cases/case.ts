/* The shape of the table in this folder, which the tests of both SDKs run. Times are in milliseconds. */

/** How the scripted server answers one request. */
export type ScriptedAnswer =
  /** `stall`: a part of the body, then nothing. `cut-off`: a part of the JSON as a whole response. `page`: HTML. */
  | 'reset'
  | 'hang'
  | 'half'
  | 'stall'
  | 'cut-off'
  | 'page'
  | { pull: PulledEnvironment; etag?: string }
  /** A successful sign-in. */
  | { exchange: { token: string; minutes: number } }
  | { status: number; error: { code: string; details?: unknown }; headers?: Record<string, string> }
  | { status: number; body: unknown; headers?: Record<string, string> }
  | { status: number; text: string; headers?: Record<string, string> };

export interface PulledEnvironment {
  revision: number;
  values: Record<string, string>;
  /** Keys whose values name others. */
  expanding?: string[];
  /** So many more values. */
  more?: number;
}

/** What the server does with `layers`. An older one doesn't know it, and a proxy may remove the tag or weaken it. */
export type LayersService = 'current' | 'older' | 'untagged' | 'weak' | 'too-large';

/** A function that returns one text after the other. */
export interface InTurn {
  inTurn: string[];
  delayMs?: number;
}

export interface ClientOptions {
  url?: string;
  /** `never` is a function that never returns. */
  token?: string | InTurn;
  idToken?: InTurn | 'never';
  timeoutMs?: number;
  attemptTimeoutMs?: number;
  tokenTimeoutMs?: number;
  retries?: number;
  waitMs?: number;
  maxAgeMs?: number;
  staleIfErrorMs?: number;
}

export interface PullOptions {
  keys?: string[];
  revision?: number;
  raw?: boolean;
  maxAgeMs?: number;
  staleIfErrorMs?: number;
}

export type LayerOptions = Omit<PullOptions, 'revision'>;

export interface SetOptions {
  ifRevision?: number;
  ifVersion?: number;
  message?: string;
  expand?: boolean;
}

export type Call =
  /** Does nothing once the client is made. */
  | ['open']
  | ['pull', PullOptions?]
  | ['get', string]
  | ['set', string, string, SetOptions?]
  | ['layers', string[], LayerOptions?]
  | ['watch', { intervalMs: number; layers?: string[] }]
  /** The next snapshot of the watch, with the codes of the polls that failed before it. */
  | ['next']
  /** The platform's token for the identity `i-1`. */
  | ['idToken']
  | ['trustsContainer', string]
  /** The address of AWS STS in a region. */
  | ['sts', string];

export interface Step {
  /** Files to write first, in the case's folder. */
  files?: Record<string, string>;
  /** How far to move the clock first. */
  advanceMs?: number;
  /** Those of the requests from here on, of which the last is repeated. */
  answers?: ScriptedAnswer[];
  /** What the server holds from here on, instead of answers in turn. */
  environments?: Record<string, PulledEnvironment>;
  /** `current` unless a step says otherwise. */
  layersService?: LayersService;
  call: Call;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
  atLeastMs?: number;
  /** The key of AWS that signed the last request to STS. */
  signedBy?: string;
  /** How many requests the step sends (at most), or what is in each of them. */
  requests?: number | { atMost: number } | Record<string, unknown>[];
}

export interface Case extends Partial<Step> {
  title: string;
  /** Environment variables; the client is then made from them. */
  variables?: Record<string, string>;
  client?: ClientOptions;
  /** Several steps, or the case is one itself. */
  steps?: Step[];
}

export type Outcome = { result: Record<string, unknown> } | { error: Record<string, unknown> };

/** One of the SDKs. An error's `shown` is all that a program could log of it. */
export interface Sdk {
  /** Makes the client of the following calls, with these options or, with variables, from them too. */
  open(url: string, options: ClientOptions, variables?: Record<string, string>): Promise<Outcome>;
  call(call: Call, variables: Record<string, string>): Promise<Outcome>;
  /** Moves the clock on. */
  advance(milliseconds: number): Promise<void>;
  /** Ends the case: the client, its variables and its time. */
  reset(): Promise<void>;
}
