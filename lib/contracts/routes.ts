import { summarizeMetrics } from './admin/metrics.ts';
import { getStatistics, inspectOrganization, listOrganizations, updateOrganization } from './admin/organizations.ts';
import { listPlans, updatePlan } from './admin/plans.ts';
import { advanceRecovery, startRecovery } from './admin/recovery.ts';
import { feedAuditEntries, listAuditEntries } from './audit/entries.ts';
import { getExposure } from './audit/exposure.ts';
import { getCurrentUser, register, renameUser } from './auth/account.ts';
import { changeEmail, confirmEmailChange, undoEmailChange } from './auth/change-email.ts';
import { closeAccount } from './auth/close-account.ts';
import { addPasskey, listPasskeys, removePasskey, startPasskey } from './auth/passkeys.ts';
import {
  changePassword,
  requestPasswordReset,
  resetPassword,
  sendVerification,
  verifyEmail,
} from './auth/passwords.ts';
import {
  completeProviderSignIn,
  continueProviderSignIn,
  endProviderLink,
  findSignInMethods,
  listProviderLinks,
  startProviderSignIn,
} from './auth/providers.ts';
import { endSession, listSessions } from './auth/sessions.ts';
import { completeLogin, logIn, logOut, startPasskeyLogin, stepUp } from './auth/sign-in.ts';
import { createToken, handOffToken, listTokens, revokeCurrentToken, revokeToken } from './auth/tokens.ts';
import { confirmTotp, removeTotp, renewRecoveryCodes, startTotp, undoFactor } from './auth/totp.ts';
import { getBilling, openPortal, receiveProviderEvent, startCheckout } from './billing/billing.ts';
import type { Contract } from './contract.ts';
import { createGrant, grantRequest, listGrants, refuseRequest, requestGrant, revokeGrant } from './grants/grants.ts';
import { exchangeAssertion } from './identities/exchange-assertion.ts';
import {
  createIdentity,
  deleteIdentity,
  getIdentity,
  listIdentities,
  updateIdentity,
} from './identities/identities.ts';
import { getMember } from './members/get-member.ts';
import { acceptInvitation, inviteMember } from './members/invitations.ts';
import { changeRole, leaveOrganization, listMembers, removeMember } from './members/members.ts';
import { setProjectRoles } from './members/project-roles.ts';
import { getAllowedNetworks, setAllowedNetworks } from './organizations/allowed-networks.ts';
import { listDeletedOrganizations, restoreOrganization } from './organizations/deleted.ts';
import { exportOrganization } from './organizations/export-organization.ts';
import { createOrganization, deleteOrganization, renameOrganization } from './organizations/organizations.ts';
import { stopMailedRecovery, stopRecovery } from './organizations/recovery.ts';
import { deleteSignIn, getSignIn, setSignIn, verifyDomain } from './organizations/sign-in-settings.ts';
import { eraseDeleted, listDeleted, restoreDeleted } from './projects/deleted.ts';
import { listDue } from './projects/due.ts';
import { createEnvironment, deleteEnvironment, updateEnvironment } from './projects/environments.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  rotateKey,
  updateProject,
} from './projects/projects.ts';
import { applyChanges, bulkDeleteSecrets, deleteSecret, importSecrets, setSecret } from './secrets/changes.ts';
import { destroyVersions, diffRevisions, listRevisions, listVersions, restoreSecrets } from './secrets/history.ts';
import { compareEnvironments, promoteSecrets } from './secrets/promotion.ts';
import {
  applyProposal,
  approveProposal,
  createProposal,
  getProposal,
  listProposals,
  rebaseProposal,
  recordProgress,
  rejectProposal,
  withdrawProposal,
} from './secrets/proposals.ts';
import { listKeys, pullSecrets } from './secrets/secrets.ts';
import {
  addTemplateKey,
  listTemplateKeys,
  removeTemplateKey,
  updateTemplateKey,
  validateEnvironment,
} from './templates/templates.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  redeliverWebhook,
  testWebhook,
  updateWebhook,
} from './webhooks/webhooks.ts';

const areas = {
  auth: [
    register,
    logIn,
    startPasskeyLogin,
    completeLogin,
    findSignInMethods,
    startProviderSignIn,
    completeProviderSignIn,
    continueProviderSignIn,
    stepUp,
    logOut,
    getCurrentUser,
    renameUser,
    createToken,
    handOffToken,
    listTokens,
    revokeToken,
    revokeCurrentToken,
    listSessions,
    endSession,
    listProviderLinks,
    endProviderLink,
    startPasskey,
    addPasskey,
    listPasskeys,
    removePasskey,
    startTotp,
    confirmTotp,
    removeTotp,
    renewRecoveryCodes,
    undoFactor,
    changePassword,
    sendVerification,
    verifyEmail,
    requestPasswordReset,
    resetPassword,
    changeEmail,
    confirmEmailChange,
    undoEmailChange,
    closeAccount,
  ],
  projects: [
    listProjects,
    createProject,
    getProject,
    updateProject,
    deleteProject,
    createEnvironment,
    updateEnvironment,
    deleteEnvironment,
    rotateKey,
    listDeleted,
    restoreDeleted,
    eraseDeleted,
    listDue,
  ],
  secrets: [
    pullSecrets,
    listKeys,
    compareEnvironments,
    setSecret,
    importSecrets,
    applyChanges,
    listVersions,
    listRevisions,
    diffRevisions,
    restoreSecrets,
    destroyVersions,
    promoteSecrets,
    bulkDeleteSecrets,
    deleteSecret,
    createProposal,
    listProposals,
    getProposal,
    approveProposal,
    rejectProposal,
    withdrawProposal,
    applyProposal,
    rebaseProposal,
    recordProgress,
  ],
  organizations: [
    createOrganization,
    renameOrganization,
    deleteOrganization,
    getSignIn,
    setSignIn,
    verifyDomain,
    deleteSignIn,
    exportOrganization,
    getAllowedNetworks,
    setAllowedNetworks,
    stopRecovery,
    stopMailedRecovery,
    listDeletedOrganizations,
    restoreOrganization,
  ],
  templates: [listTemplateKeys, addTemplateKey, updateTemplateKey, removeTemplateKey, validateEnvironment],
  webhooks: [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, testWebhook, redeliverWebhook],
  members: [
    listMembers,
    inviteMember,
    acceptInvitation,
    changeRole,
    removeMember,
    leaveOrganization,
    setProjectRoles,
    getMember,
  ],
  identities: [listIdentities, createIdentity, getIdentity, updateIdentity, deleteIdentity, exchangeAssertion],
  audit: [listAuditEntries, feedAuditEntries, getExposure],
  billing: [getBilling, startCheckout, openPortal, receiveProviderEvent],
  admin: [
    getStatistics,
    listOrganizations,
    inspectOrganization,
    updateOrganization,
    listPlans,
    updatePlan,
    summarizeMetrics,
    startRecovery,
    advanceRecovery,
  ],
  grants: [createGrant, revokeGrant, listGrants, requestGrant, grantRequest, refuseRequest],
} as const satisfies Readonly<Record<string, readonly Contract[]>>;

/** A contract with its area: the folder it is in, and its tag in the documentation. */
export interface RoutedContract extends Contract {
  area: string;
}

/** Every endpoint of the API, in the order of the specification. */
export const routes: readonly RoutedContract[] = Object.entries(areas).flatMap(([area, contracts]) =>
  contracts.map((contract: Contract) => ({ ...contract, area })),
);

/** The contract of any endpoint, with its literal types. */
export type DeclaredContract = (typeof areas)[keyof typeof areas][number];
