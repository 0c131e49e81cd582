export type * from './answers.ts';
export type { components, paths } from './api-types.ts';
export { auditFeed, type FeedOptions, type FeedPage } from './audit-feed.ts';
export { type AuditEntry, type AuditPage, type AuditQuery, auditLog, type PageOptions } from './audit-log.ts';
export type { Environment } from './environment.ts';
export type {
  CacheOptions,
  CallOptions,
  Changes,
  ExpandingValue,
  GeneratedValue,
  GenerateOptions,
  ImportDotenvOptions,
  LayerOptions,
  NewOrGenerated,
  NewValues,
  PullOptions,
  RestoreOptions,
  SetOptions,
  WatchOptions,
  WriteOptions,
} from './environment-options.ts';
export {
  ApprovalRequired,
  ConnectionError,
  type ErrorCode,
  GatewayError,
  HoldfastError,
  RevisionMismatch,
  TimeoutError,
  VersionMismatch,
} from './errors.ts';
export {
  type CredentialExposure,
  type Exposure,
  type ExposureQuery,
  exposure,
  type ReadersQuery,
  type SecretReaders,
} from './exposure.ts';
export {
  type EnvironmentVariableOptions,
  Holdfast,
  type HoldfastOptions,
  identityTimeoutMs,
  type Project,
  type PromoteOptions,
} from './holdfast.ts';
export { idTokenSources, platformAssertion } from './id-token-sources.ts';
export {
  type Assertion,
  audienceOf,
  exchangeAssertion,
  type IdentityOptions,
  type IdentityToken,
  identityToken,
} from './identity.ts';
export type { Layer, LayeredSnapshot } from './layers.ts';
export type { Paged } from './paged.ts';
export {
  type Proposal,
  type ProposalQuery,
  type Proposals,
  type ProposedChange,
  type ProposeOptions,
  proposals,
} from './proposals.ts';
export type { ListPath, PathOf, RequestOptions, ResponseBody } from './request.ts';
export type { Snapshot } from './snapshot.ts';
export type { Method, Retry, WaitBudget } from './transport.ts';
export type { Plan } from './write.ts';
