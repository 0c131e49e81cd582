import type {
  InferArgument,
  InferOptions,
  Argument as TypedArgument,
  Option as TypedOption,
} from '@commander-js/extra-typings';
import { Argument as CommanderArgument, Option as CommanderOption } from 'commander';
import type { Session } from './session.ts';
import type { GivenFlags } from './settings/settings.ts';

/** Commander's classes. Their types derive the type of a value from its notation: `[file]`, `--limit <number>`. */
export const Argument = CommanderArgument as unknown as typeof TypedArgument;
export const Option = CommanderOption as unknown as typeof TypedOption;

/* With all members of the classes, TypeScript would infer `unknown` for the values of `new Argument(…)` in a list. */
type AnyArgument = Pick<CommanderArgument, 'variadic'>;
type AnyOption = Pick<CommanderOption, 'flags'>;

type Values<Arguments> = Arguments extends readonly [
  TypedArgument<infer Usage, infer Default, infer Parsed, infer Required, infer Choice>,
  ...infer Others,
]
  ? [InferArgument<Usage, Default, Parsed, Required, Choice>, ...Values<Others>]
  : [];

/** What the options of a command are parsed to. */
export type FlagsOf<Options, Others = object> = Options extends readonly [
  TypedOption<infer Usage, infer Preset, infer Default, infer Parsed, infer Mandatory, infer Choice>,
  ...infer Rest,
]
  ? FlagsOf<Rest, InferOptions<Others, Usage, Default, Parsed, Mandatory, Preset, Choice>>
  : Others;

/** The headings of the help, each with the command whose example ends its group. */
export const headings = {
  'Sign in': 'login',
  'Use secrets': 'run',
  'Change secrets': 'push',
  'See what changed': 'diff',
  Check: 'validate',
  Organize: 'audit',
} as const;

interface Texts {
  name: string;
  /** As shown in the help and, as a sentence, in the reference. */
  description: string;
  /** One shell command that works as printed in a linked directory. */
  example: string;
  /** Follows the options in the help. */
  notes?: string;
  /** Only to hide an argument in the help. */
  usage?: string;
  /** Options after the first argument belong to the command that is the argument. */
  passesOptionsThrough?: boolean;
  subcommands?: readonly AnySubcommand[];
}

interface Subcommand<Arguments, Options> extends Texts {
  arguments?: Arguments;
  /** Its own; those of every command are in `program.ts`. */
  options?: Options;
  /** Takes the arguments in their order, then all options. */
  run(session: Session, ...values: [...Values<Arguments>, FlagsOf<Options> & GivenFlags]): Promise<void> | void;
}

interface Placement {
  heading: keyof typeof headings;
  /** The command's place below the heading. Those without one are last, by name. */
  position?: number;
}

/** A subcommand of any types. */
export interface AnySubcommand extends Texts {
  arguments?: readonly CommanderArgument[];
  options?: readonly CommanderOption[];
  run(session: Session, ...values: readonly unknown[]): Promise<void> | void;
}

export type AnyCommand = AnySubcommand & Placement;

/** For the default export of a file in the folder `commands`. */
export function defineCommand<
  const Arguments extends readonly AnyArgument[] = [],
  const Options extends readonly AnyOption[] = [],
>(definition: Subcommand<Arguments, Options> & Placement): AnyCommand {
  return definition as unknown as AnyCommand;
}

/** For a subcommand, in the file of its command. */
export function defineSubcommand<
  const Arguments extends readonly AnyArgument[] = [],
  const Options extends readonly AnyOption[] = [],
>(definition: Subcommand<Arguments, Options>): AnySubcommand {
  return definition as unknown as AnySubcommand;
}
