import type { ExportRecord } from '../contracts/organizations/export-records.ts';
import { openSigningSecret } from '../deliveries/signing-secret.ts';
import type { Item } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { identityRecord } from '../table/records/identity.ts';
import {
  type EarlierRetention,
  invitationRecord,
  memberRecord,
  organizationRecord,
  removedMemberRecord,
} from '../table/records/organization.ts';
import { projectRecord, templateKeyRecord } from '../table/records/project.ts';
import { retiredEnvironmentRecord } from '../table/records/retired-slug.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { placeOf, type Sealer } from './seal-values.ts';

/** What the records of an organization's partition need besides their items. */
export interface Portage {
  organizationId: string;
  startedAt: string;
  retentions: readonly EarlierRetention[];
  sealer: Sealer;
}

type ToRecord = (item: Item, portage: Portage) => ExportRecord | undefined | Promise<ExportRecord | undefined>;

/** Whether items of a kind are in an organization's export. `how` completes the table in docs/organization-export.md. */
type Portability =
  | { in: 'organization'; how: string; toRecord: ToRecord }
  /** Exported with its environment's history, or with the audit log. */
  | { in: 'history' | 'audit log'; how: string }
  | { in: 'nothing'; how: string };

/** Exported from the organization's own partition. */
const exported = (how: string, toRecord: ToRecord): Portability => ({ in: 'organization', how, toRecord });
const history = (how: string): Portability => ({ in: 'history', how });
const log = (how: string): Portability => ({ in: 'audit log', how });
/** Left out, for a reason. */
const leftOut = (how: string): Portability => ({ in: 'nothing', how });

const belongsToPeople = 'belongs to an account, not to the organization';
const belongsToInstallation = 'belongs to the installation';
const credential = 'a credential works only where it was issued';
const shortLived = 'exists for minutes';
const derived = 'the import writes it again';
const provider = 'decides who gets in, so owners set the provider up again';

/** Every kind of item of the table. A test fails on a kind that is not here. */
export const itemKinds: Readonly<Record<string, Portability>> = {
  organization: exported('`organization`, with plan and limits as information', organizationOf),
  member: exported('`member`, without grants', memberOf),
  removedMember: exported('`removed-member`', removedMemberOf),
  invitation: exported('`invitation`, without its link: invite again to send a new one', invitationOf),
  project: exported('`project`, without its data keys: the import creates one', projectOf),
  templateKey: exported('`template-key`', item => ({ record: 'template-key', ...templateKeyRecord.parse(item) })),
  retiredSlug: exported('`retired-slug`, for projects and environments', retiredSlugOf),
  webhook: exported('`webhook`, with its signing secret as a value', webhookOf),
  identity: exported('`identity`; its tokens are left out', identityOf),

  environment: history('`environment`'),
  environmentState: history('`environment`; counts and digests follow from the versions'),
  revision: history('`change`'),
  revisionPart: history('`change`'),
  version: history('`version`, with its value'),
  head: history('the newest `version` of its key'),
  tombstone: history('the newest `version` of its key'),
  proposal: leftOut('waits for approval by people of this installation: propose it again'),
  proposalPart: leftOut('belongs to a proposal'),
  openProposals: leftOut('belongs to a proposal'),
  fence: leftOut('serves a change in progress, which is not exported'),
  tickets: leftOut('serves waiting writers'),

  audit: log('`audit-entry`, unless it has expired'),
  auditCount: log('the service counts again'),
  auditPartitions: log('the service spreads new entries when it has to'),

  signIn: leftOut(provider),
  providerLink: leftOut(provider),
  domain: leftOut(provider),
  accountLink: leftOut(belongsToPeople),
  membership: leftOut(derived),
  organizationPointer: leftOut(derived),
  directory: leftOut(derived),
  invitationPointer: leftOut(credential),
  token: leftOut(credential),
  liveTokens: leftOut(credential),
  session: leftOut(credential),
  delivery: leftOut('a record of what this installation sent'),
  deliveryClaim: leftOut('a record of what this installation sent'),
  payloadPiece: leftOut('a record of what this installation sent'),
  customer: leftOut('belongs to the payment provider’s account of the installation'),
  providerEvent: leftOut('belongs to the payment provider’s account of the installation'),

  user: leftOut(belongsToPeople),
  email: leftOut(belongsToPeople),
  passkey: leftOut(belongsToPeople),
  passkeyOwner: leftOut(belongsToPeople),
  link: leftOut(belongsToPeople),
  resetLink: leftOut(belongsToPeople),
  undoLink: leftOut(belongsToPeople),
  emailChange: leftOut(belongsToPeople),
  emailUndo: leftOut(belongsToPeople),
  handOff: leftOut(shortLived),
  challenge: leftOut(shortLived),
  startedSignIn: leftOut(shortLived),
  pendingLink: leftOut(shortLived),
  assertion: leftOut(shortLived),
  rate: leftOut(shortLived),
  longQuestions: leftOut(shortLived),
  unfinishedWork: leftOut('belongs to a job; a key rotation is exported as completed'),
  archiveCursor: leftOut(belongsToInstallation),
  credentialKey: leftOut(belongsToInstallation),
  planConfigs: leftOut(belongsToInstallation),
  platformCount: leftOut(belongsToInstallation),
  routeHour: leftOut(belongsToInstallation),
  countedBatch: leftOut(belongsToInstallation),
  keyAges: leftOut('the daily worker computes it again'),
  dueLetters: leftOut('a record of what this installation sent'),
  recoveryLink: leftOut(shortLived),
  grantRequest: leftOut('is gone after a day'),
  revocation: leftOut(belongsToInstallation),
  servingRegion: leftOut(belongsToInstallation),
  issuerKeys: leftOut(belongsToInstallation),
};

function organizationOf(item: Item, { retentions }: Portage): ExportRecord {
  const organization = organizationRecord.parse(item);
  const { id, slug, name, createdAt, plan, limitOverrides, requireSecondFactor, firstRevision } = organization;
  const { allowedNetworks } = organization;
  const facts = { id, slug, name, createdAt, plan, limitOverrides, requireSecondFactor, firstRevision };
  return { record: 'organization', ...facts, allowedNetworks, retentions: [...retentions] };
}

/** Without the last sign-in: at the other installation, the provider is a new one. */
function memberOf(item: Item): ExportRecord {
  const { grants: _grants, providerSignInAt: _at, ...member } = memberRecord.parse(item);
  return { record: 'member', ...member };
}

function removedMemberOf(item: Item, { organizationId }: Portage): ExportRecord | undefined {
  const removed = removedMemberRecord.parse(item);
  // The slug may have been another organization's.
  if (removed.organizationId !== organizationId) return undefined;
  const { removedAt, byRules } = removed;
  return { record: 'removed-member', userId: sortKeyParts(item)[1] ?? '', removedAt, byRules };
}

function invitationOf(item: Item): ExportRecord {
  const { hash: _, ...invitation } = invitationRecord.parse(item);
  return { record: 'invitation', ...invitation };
}

function projectOf(item: Item, { organizationId, startedAt }: Portage): ExportRecord | undefined {
  const project = projectRecord.parse(item);
  const { id, slug, name, description, keyVersion, firstRevision, createdAt } = project;
  // Environments that were created later are not in the export either.
  if (project.status !== 'active' || project.organizationId !== organizationId || createdAt > startedAt)
    return undefined;
  const facts = { id, slug, name, description, keyVersion, firstRevision, createdAt };
  return { record: 'project', ...facts, rotation: completed(project.rotation) };
}

/** The import encrypts everything under one new key, so no rotation is left to complete. */
function completed(rotation: ReturnType<typeof projectRecord.parse>['rotation']) {
  if (rotation === null) return null;
  const { fromVersion, toVersion, total } = rotation;
  return { status: 'completed' as const, fromVersion, toVersion, reencrypted: total, total };
}

function retiredSlugOf(item: Item): ExportRecord {
  const [, project = '', environment] = sortKeyParts(item);
  const { retiredAt, type } = retiredEnvironmentRecord.parse(item);
  const place = environment === undefined ? { project } : { project, environment, type };
  return { record: 'retired-slug', ...place, retiredAt };
}

async function webhookOf(item: Item, { organizationId, sealer }: Portage): Promise<ExportRecord | undefined> {
  const webhook = webhookRecord.parse(item);
  if (webhook.organizationId !== organizationId) return undefined;
  const { orgSlug: _, organizationId: __, sealedSecret: ___, ...facts } = webhook;
  const secret = await sealer.protect(await openSigningSecret(webhook), placeOf(organizationId, 'webhook', webhook.id));
  return { record: 'webhook', ...facts, ...secret };
}

function identityOf(item: Item, { organizationId: ownId }: Portage): ExportRecord | undefined {
  const { organizationId, trustId: _, ...identity } = identityRecord.parse(item);
  return organizationId === ownId ? { record: 'identity', ...identity } : undefined;
}

const sortKeyParts = ({ sk }: Item): string[] => String(sk).split('#');

/** The kinds of which an organization's partition has items that the export of histories covers. */
export const isInHistory = (kind: unknown): boolean => kind === environmentRecord.kind;
