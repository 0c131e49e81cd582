import * as admin from './admin.ts';
import * as audit from './audit.ts';
import * as auth from './auth.ts';
import * as billing from './billing.ts';
import type { Contract } from './contract.ts';
import * as identities from './identities.ts';
import * as members from './members.ts';
import * as organizations from './organizations.ts';
import * as projects from './projects.ts';
import * as secondFactors from './second-factors.ts';
import * as secrets from './secrets.ts';
import * as templates from './templates.ts';
import * as webhooks from './webhooks.ts';

/** Every endpoint of the API, in the order of the specification. */
export const routes: readonly Contract[] = [
  auth.register,
  auth.logIn,
  secondFactors.startPasskeyLogin,
  secondFactors.completeLogin,
  secondFactors.stepUp,
  auth.logOut,
  auth.getCurrentUser,
  auth.renameUser,
  auth.createToken,
  auth.handOffToken,
  auth.listTokens,
  auth.revokeToken,
  auth.revokeCurrentToken,
  auth.listSessions,
  auth.endSession,
  secondFactors.startPasskey,
  secondFactors.addPasskey,
  secondFactors.listPasskeys,
  secondFactors.removePasskey,
  secondFactors.startTotp,
  secondFactors.confirmTotp,
  secondFactors.removeTotp,
  secondFactors.renewRecoveryCodes,
  auth.changePassword,
  auth.sendVerification,
  auth.verifyEmail,
  auth.requestPasswordReset,
  auth.resetPassword,

  projects.listProjects,
  projects.createProject,
  projects.getProject,
  projects.updateProject,
  projects.deleteProject,
  projects.createEnvironment,
  projects.updateEnvironment,
  projects.deleteEnvironment,
  projects.rotateKey,

  secrets.pullSecrets,
  secrets.listKeys,
  secrets.compareEnvironments,
  secrets.setSecret,
  secrets.importSecrets,
  secrets.applyChanges,
  secrets.listVersions,
  secrets.listRevisions,
  secrets.diffRevisions,
  secrets.restoreSecrets,
  secrets.destroyVersions,
  secrets.promoteSecrets,
  secrets.bulkDeleteSecrets,
  secrets.deleteSecret,

  organizations.createOrganization,
  organizations.renameOrganization,
  organizations.deleteOrganization,

  templates.listTemplateKeys,
  templates.addTemplateKey,
  templates.updateTemplateKey,
  templates.removeTemplateKey,
  templates.validateEnvironment,

  webhooks.listWebhooks,
  webhooks.createWebhook,
  webhooks.getWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  webhooks.testWebhook,

  members.listMembers,
  members.inviteMember,
  members.acceptInvitation,
  members.changeRole,
  members.removeMember,

  identities.listIdentities,
  identities.createIdentity,
  identities.getIdentity,
  identities.updateIdentity,
  identities.deleteIdentity,
  identities.exchangeAssertion,

  audit.listAuditEntries,

  billing.getBilling,
  billing.startCheckout,
  billing.openPortal,
  billing.receiveProviderEvent,

  admin.getStatistics,
  admin.listOrganizations,
  admin.inspectOrganization,
  admin.updateOrganization,
  admin.listPlans,
  admin.updatePlan,
  admin.summarizeMetrics,
];
