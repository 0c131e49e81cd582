import type { Entry, Refusal } from '@holdfast/contracts/fields/formats/format.ts';

/*
 * The interface of a target. Each is one file in the folder `targets`, which is loaded only when it is named, together
 * with its libraries; what it needs of the command line, it gets as a `Kit`.
 */

/** Where the values come from. */
export interface Source {
  /** Recorded beside what a sync writes: the environment as organization/project/environment. */
  readonly name: string;
  /** Identifies the revision of the environment and of its layers; at most 100 characters without blanks. */
  readonly revision: string;
}

/** A name at the place. */
export interface Held {
  /** The source whose sync owns it; undefined if no sync does. */
  owner?: string | undefined;
  /** The revision that it was written at, if it says so itself. */
  revision?: string | undefined;
  /** Only if the target lets us read it anyway. */
  value?: string | undefined;
  /** Why it can't be adopted, continuing the sentence "NAME …". */
  fixed?: string | undefined;
}

export interface Holding {
  names: ReadonlyMap<string, Held>;
  /** The source of a place that has just one. */
  source?: string | undefined;
  /** Of a place that records one revision for all names; only after a complete sync. */
  revision?: string | undefined;
}

export interface Step {
  kind: 'create' | 'update' | 'adopt' | 'remove';
  name: string;
  /** Absent for a removal. */
  value?: string;
}

/** What the source owns at the place after a sync. */
export interface Outcome {
  source: Source;
  /** All names, with the values of those that the source has. The others are only left in place. */
  names: ReadonlyMap<string, string | undefined>;
  /** Whether all names that the source has are at its revision: what `--only` leaves out may be older. */
  isComplete: boolean;
}

export interface Place {
  /** "the Secret web-shop in the namespace shop" */
  readonly title: string;
  /** How many steps one write takes. If it takes all of them, it makes all or none of them. */
  readonly batchSize: number;
  /** Whether the place records one revision for all names. */
  readonly hasRevision: boolean;
  /** Whether programs get all names as environment variables. */
  readonly namesVariables: boolean;
  /** Why the target can't hold this entry exactly, continuing the sentence "NAME …". Never quotes the value. */
  refuses(name: string, value: string): string | undefined;
  refusesTogether?(entries: readonly Entry[]): Refusal[];
  read(source: Source): Promise<Holding>;
  /** Before the first write: records what the source is about to own, so that no other sync takes it. */
  begin?(steps: readonly Step[], outcome: Outcome): Promise<void>;
  /** @param completes whether the place is at the source's revision after this write, which is the last one */
  write(steps: readonly Step[], outcome: Outcome, completes: boolean): Promise<void>;
  /** After the last write. @param failed names that were not written or not removed */
  end?(outcome: Outcome, failed: ReadonlySet<string>): Promise<void>;
  /** Makes a workload, such as `deployment/web`, start again with the new values. */
  restart?(workload: string, source: Source): Promise<void>;
}

export interface Asked {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** For a server with a certificate authority of its own, or one that wants a certificate. */
  tls?: Readonly<Record<string, unknown>> | undefined;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as JSON; undefined if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each target knows the answers of its own API
  body: any;
}

/** What the command line lends to a target. */
export interface Kit {
  variables: Readonly<Record<string, string | undefined>>;
  /** Tries again within bounds; returns any other answer as it is. */
  request(asked: Asked): Promise<Answer>;
  /** For clients of the AWS SDK, which tries again by itself. */
  awsOptions: Readonly<{ maxAttempts: number }>;
  parseYaml(text: string): Promise<unknown>;
}

export type OpenPlace = (to: string, kit: Kit) => Place | Promise<Place>;
