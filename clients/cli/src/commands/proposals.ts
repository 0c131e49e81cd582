import { type Environment, type Proposal, type Proposals, proposals } from '@holdfast/sdk';
import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { differenceLines } from '../difference-lines.ts';
import { usage } from '../failure.ts';
import { failureOf, withHint } from '../failure-of.ts';
import { given } from '../given.ts';
import { id, integer } from '../options.ts';
import type { Output } from '../output.ts';
import { keyChanges, someOf } from '../printable.ts';
import { nextStep, pageOf, placeOf, requireOpen, standingOf, warnOfProblems, withOutcome } from '../proposal.ts';
import type { Session } from '../session.ts';

const states = ['open', 'applied', 'rejected', 'withdrawn', 'expired', 'all'] as const;
const proposalArgument = new Argument('<id>', 'id, as “holdfast proposals” shows it').argParser(id);

async function openProposals(session: Session) {
  const environment = await session.environment();
  return { environment, own: proposals(await session.client(), environment) };
}

const show = defineSubcommand({
  name: 'show',
  description: 'show a proposal, and which of its keys have changed since',
  example: 'holdfast proposals show 01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05 --values',
  arguments: [proposalArgument],
  options: [new Option('--values', 'also show the values of an open proposal, which is audited')],
  run: async (session, proposalId, { values = false }) => {
    const { output } = session;
    const { environment, own } = await openProposals(session);
    const answer = await own.get(proposalId, { values });
    if (output.json) return output.document(answer);
    const { proposal, stale } = answer;
    output.table(
      ['FIELD', 'VALUE'],
      [...factsOf(proposal, output), ...(stale.length > 0 ? [['stale', stale.join(' ')]] : [])],
    );
    const valued = new Map(answer.values?.map(one => [one.key, one]));
    const listed = (keys: readonly string[]) => keys.map(key => valued.get(key) ?? { key });
    const { created, updated, deleted } = proposal;
    const lines = differenceLines(output, {
      created: listed(created),
      updated: listed(updated),
      deleted: listed(deleted),
    });
    output.listing(lines.map(line => `${line}\n`).join(''));
    if (proposal.state !== 'open') return;
    output.note(
      stale.length > 0
        ? `Stale keys prevent applying it. Its author can propose it anew: holdfast proposals rebase ${proposalId} -e ${placeOf(environment)}`
        : nextStep(session, environment, proposal),
    );
  },
});

function factsOf(proposal: Proposal, { ago, time }: Output): string[][] {
  const { state, createdBy, createdAt, closedBy, closedAt, approvals, from, restored } = proposal;
  const facts: [string, string | false | null | undefined][] = [
    ['state', standingOf(proposal)],
    ['proposed by', `${createdBy.email}, ${ago(createdAt)}`],
    ...approvals.map(({ email, at }): [string, string] => ['approved by', `${email}, ${ago(at)}`]),
    [`${state} by`, closedBy && closedAt && `${closedBy.email}, ${ago(closedAt)}`],
    ['why', proposal.message],
    ['why rejected', proposal.reason],
    ['as revision', proposal.revision?.toString()],
    ['copies', from && `${from.slug}@${from.revision}`],
    ['restores', restored?.toString()],
    ['purpose', proposal.purpose],
    ['progress', proposal.progress],
    // A rotation that has started hardly does.
    ['expires', state === 'open' && proposal.progress === undefined && time(proposal.expiresAt)],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/** Tokens can't decide, so a person does it in the dashboard. */
function decision(name: 'approve' | 'reject') {
  return defineSubcommand({
    name,
    description: `open the page of the dashboard where a person can ${name} a proposal`,
    example: `holdfast proposals ${name} 01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05`,
    notes: 'The address is printed too. No token can approve or reject.',
    arguments: [proposalArgument],
    options: [new Option('--no-browser', 'only print the address')],
    run: async (session, proposalId, { browser }) => {
      const { output, terminal } = session;
      const { environment, own } = await openProposals(session);
      const { proposal } = await own.get(proposalId);
      requireOpen(proposal);
      const page = pageOf(session, environment, proposalId);
      if (output.json) return output.document({ proposal, page });
      output.data(`${page}\n`);
      if (!browser || !terminal.canAsk) return;
      const { openBrowser } = await import('../sign-in/browser.ts');
      openBrowser(page, () => output.note('No browser can be opened here.'));
    },
  });
}

interface Action {
  name: 'apply' | 'withdraw' | 'rebase';
  description: string;
  exampleId: string;
  /** @throws Failure if the proposal should not be closed like this */
  check?(own: Proposals, id: string): Promise<void>;
  /** What has happened, as sentences. */
  report(proposal: Proposal, environment: Environment, next: string): readonly string[];
}

function action({ name, description, exampleId, check, report }: Action) {
  return defineSubcommand({
    name,
    description,
    example: `holdfast proposals ${name} ${exampleId}`,
    arguments: [proposalArgument],
    run: async (session, proposalId) => {
      const { output } = session;
      const { environment, own } = await openProposals(session);
      const page = pageOf(session, environment, proposalId);
      await check?.(own, proposalId);
      const answer = await own[name](proposalId).catch(error => {
        const { code, message } = failureOf(error);
        if (code === 'insufficient_scope' && /session/.test(message))
          throw withHint(error, `Do this in the dashboard: ${page}`);
        throw withOutcome(error, `holdfast proposals show ${proposalId}`);
      });
      warnOfProblems(session, answer);
      if (output.json) return output.document(answer);
      for (const sentence of report(answer.proposal, environment, nextStep(session, environment, answer.proposal)))
        output.note(sentence);
    },
  });
}

const withdraw = action({
  name: 'withdraw',
  description: 'close a proposal of yours',
  exampleId: '01943c8e-71b2-7f04-8a6d-3c95e0d1b748',
  check: async (own, proposalId) => {
    const { proposal } = await own.get(proposalId);
    if (proposal.state !== 'open' || proposal.progress === undefined) return;
    throw usage(
      'The rotation has started: its new value may be in use, and nothing else has it.',
      `Go on with it, or forget its value: holdfast rotate --abandon ${[...proposal.updated, ...proposal.created][0]}`,
    );
  },
  report: (_, { slug }) => [`Withdrawn; ${slug} is unchanged.`],
});

const apply = action({
  name: 'apply',
  description: 'apply a proposal that has enough approvals',
  exampleId: '01943c8e-88c4-7a19-b3e7-d20f4b6a95e1',
  check: async (own, proposalId) => {
    const { proposal } = await own.get(proposalId);
    if (proposal.state !== 'open' || proposal.purpose !== 'rotation') return;
    throw usage(
      'It is a rotation: applied alone, the value here may be one that nothing outside accepts.',
      `Go on with it: holdfast rotate --resume ${[...proposal.updated, ...proposal.created][0]}, with the scripts`,
    );
  },
  report: ({ revision }, { slug }) => [`Applied; ${slug} is at revision ${revision}.`],
});

const rebase = action({
  name: 'rebase',
  description: 'propose the same values anew, against the environment as it is now; approvals start over',
  exampleId: '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05',
  report: (proposal, { slug }, next) => [
    `Proposed anew against revision ${proposal.baseRevision} of ${slug}, ${standingOf(proposal)}.`,
    next,
  ],
});

export default defineCommand({
  name: 'proposals',
  heading: 'Change secrets',
  position: 6,
  description: 'list the changes that wait for approval',
  example: 'holdfast proposals',
  options: [
    new Option('--state <state>', 'only proposals in this state').choices(states).default('open'),
    new Option('--limit <number>', 'maximum number of proposals').argParser(integer(1, 100)).default(20),
    new Option('--before <id>', 'only proposals before this one').argParser(id),
  ],
  subcommands: [show, decision('approve'), decision('reject'), withdraw, apply, rebase],
  /** Newest first. */
  run: async (session, { state, limit, before }) => {
    const { output } = session;
    const { environment, own } = await openProposals(session);
    const answer = await own.list(given({ state: state === 'all' ? undefined : state, limit, before }));
    if (output.json) return output.document(answer);
    output.table(
      ['ID', 'STATE', 'PROPOSED', 'BY', 'KEYS', 'WHY'],
      answer.proposals.map(proposal => [
        proposal.id,
        standingOf(proposal),
        output.ago(proposal.createdAt),
        proposal.createdBy.email,
        someOf(keyChanges(proposal)),
        proposal.message ?? '',
      ]),
      `No proposals of ${environment.slug}${state === 'all' ? '' : ` are ${state}`}.`,
      ['WHY', 'KEYS', 'PROPOSED'],
    );
    if (answer.next !== null) {
      output.note(`More: holdfast proposals -e ${placeOf(environment)} --state ${state} --before ${answer.next}`);
    }
  },
});
