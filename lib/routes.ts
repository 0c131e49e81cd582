import * as auth from './accounts/contracts.ts';
import * as admin from './admin/contracts.ts';
import * as audit from './audit/contracts.ts';
import * as billing from './billing/contracts.ts';
import type { Contract } from './http/contract.ts';
import * as members from './members/contracts.ts';
import * as organizations from './organizations/contracts.ts';
import * as projects from './projects/contracts.ts';
import * as secrets from './secrets/contracts.ts';
import * as templates from './templates/contracts.ts';
import * as webhooks from './webhooks/contracts.ts';

/** Every endpoint of the API, in the order of the specification. */
export const routes: readonly Contract[] = [
  auth.register,
  auth.logIn,
  auth.logOut,
  auth.getCurrentUser,
  auth.createToken,
  auth.handOffToken,
  auth.listTokens,
  auth.revokeToken,
  auth.changePassword,
  auth.sendVerification,
  auth.verifyEmail,
  auth.requestPasswordReset,
  auth.resetPassword,

  projects.listProjects,
  projects.createProject,
  projects.getProject,
  projects.deleteProject,
  projects.createEnvironment,
  projects.rotateKey,

  secrets.pullSecrets,
  secrets.listKeys,
  secrets.setSecret,
  secrets.importSecrets,
  secrets.listVersions,
  secrets.promoteSecrets,
  secrets.bulkDeleteSecrets,
  secrets.deleteSecret,

  organizations.createOrganization,
  organizations.deleteOrganization,

  templates.listTemplateKeys,
  templates.addTemplateKey,
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
