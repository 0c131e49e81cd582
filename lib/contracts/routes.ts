import { getStatistics } from './admin/get-statistics.ts';
import { inspectOrganization } from './admin/inspect-organization.ts';
import { listOrganizations } from './admin/list-organizations.ts';
import { listPlans } from './admin/list-plans.ts';
import { summarizeMetrics } from './admin/summarize-metrics.ts';
import { updateOrganization } from './admin/update-organization.ts';
import { updatePlan } from './admin/update-plan.ts';
import { feedAuditEntries } from './audit/feed-audit-entries.ts';
import { getExposure } from './audit/get-exposure.ts';
import { listAuditEntries } from './audit/list-audit-entries.ts';
import { addPasskey } from './auth/add-passkey.ts';
import { changePassword } from './auth/change-password.ts';
import { completeLogin } from './auth/complete-login.ts';
import { completeProviderSignIn } from './auth/complete-provider-sign-in.ts';
import { confirmTotp } from './auth/confirm-totp.ts';
import { continueProviderSignIn } from './auth/continue-provider-sign-in.ts';
import { createToken } from './auth/create-token.ts';
import { endProviderLink } from './auth/end-provider-link.ts';
import { endSession } from './auth/end-session.ts';
import { findSignInMethods } from './auth/find-sign-in-methods.ts';
import { getCurrentUser } from './auth/get-current-user.ts';
import { handOffToken } from './auth/hand-off-token.ts';
import { listPasskeys } from './auth/list-passkeys.ts';
import { listProviderLinks } from './auth/list-provider-links.ts';
import { listSessions } from './auth/list-sessions.ts';
import { listTokens } from './auth/list-tokens.ts';
import { logIn } from './auth/log-in.ts';
import { logOut } from './auth/log-out.ts';
import { register } from './auth/register.ts';
import { removePasskey } from './auth/remove-passkey.ts';
import { removeTotp } from './auth/remove-totp.ts';
import { renameUser } from './auth/rename-user.ts';
import { renewRecoveryCodes } from './auth/renew-recovery-codes.ts';
import { requestPasswordReset } from './auth/request-password-reset.ts';
import { resetPassword } from './auth/reset-password.ts';
import { revokeCurrentToken } from './auth/revoke-current-token.ts';
import { revokeToken } from './auth/revoke-token.ts';
import { sendVerification } from './auth/send-verification.ts';
import { startPasskey } from './auth/start-passkey.ts';
import { startPasskeyLogin } from './auth/start-passkey-login.ts';
import { startProviderSignIn } from './auth/start-provider-sign-in.ts';
import { startTotp } from './auth/start-totp.ts';
import { stepUp } from './auth/step-up.ts';
import { undoFactor } from './auth/undo-factor.ts';
import { verifyEmail } from './auth/verify-email.ts';
import { getBilling } from './billing/get-billing.ts';
import { openPortal } from './billing/open-portal.ts';
import { receiveProviderEvent } from './billing/receive-provider-event.ts';
import { startCheckout } from './billing/start-checkout.ts';
import type { Contract } from './contract.ts';
import { createIdentity } from './identities/create-identity.ts';
import { deleteIdentity } from './identities/delete-identity.ts';
import { exchangeAssertion } from './identities/exchange-assertion.ts';
import { getIdentity } from './identities/get-identity.ts';
import { listIdentities } from './identities/list-identities.ts';
import { updateIdentity } from './identities/update-identity.ts';
import { acceptInvitation } from './members/accept-invitation.ts';
import { changeRole } from './members/change-role.ts';
import { inviteMember } from './members/invite-member.ts';
import { leaveOrganization } from './members/leave-organization.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { deleteOrganization } from './organizations/delete-organization.ts';
import { deleteSignIn } from './organizations/delete-sign-in.ts';
import { getSignIn } from './organizations/get-sign-in.ts';
import { renameOrganization } from './organizations/rename-organization.ts';
import { setSignIn } from './organizations/set-sign-in.ts';
import { verifyDomain } from './organizations/verify-domain.ts';
import { createEnvironment } from './projects/create-environment.ts';
import { createProject } from './projects/create-project.ts';
import { deleteEnvironment } from './projects/delete-environment.ts';
import { deleteProject } from './projects/delete-project.ts';
import { getProject } from './projects/get-project.ts';
import { listProjects } from './projects/list-projects.ts';
import { rotateKey } from './projects/rotate-key.ts';
import { updateEnvironment } from './projects/update-environment.ts';
import { updateProject } from './projects/update-project.ts';
import { applyChanges } from './secrets/apply-changes.ts';
import { bulkDeleteSecrets } from './secrets/bulk-delete-secrets.ts';
import { compareEnvironments } from './secrets/compare-environments.ts';
import { deleteSecret } from './secrets/delete-secret.ts';
import { destroyVersions } from './secrets/destroy-versions.ts';
import { diffRevisions } from './secrets/diff-revisions.ts';
import { importSecrets } from './secrets/import-secrets.ts';
import { listKeys } from './secrets/list-keys.ts';
import { listRevisions } from './secrets/list-revisions.ts';
import { listVersions } from './secrets/list-versions.ts';
import { promoteSecrets } from './secrets/promote-secrets.ts';
import { pullSecrets } from './secrets/pull-secrets.ts';
import { restoreSecrets } from './secrets/restore-secrets.ts';
import { setSecret } from './secrets/set-secret.ts';
import { addTemplateKey } from './templates/add-template-key.ts';
import { listTemplateKeys } from './templates/list-template-keys.ts';
import { removeTemplateKey } from './templates/remove-template-key.ts';
import { updateTemplateKey } from './templates/update-template-key.ts';
import { validateEnvironment } from './templates/validate-environment.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { redeliverWebhook } from './webhooks/redeliver-webhook.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';

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
  ],
  organizations: [
    createOrganization,
    renameOrganization,
    deleteOrganization,
    getSignIn,
    setSignIn,
    verifyDomain,
    deleteSignIn,
  ],
  templates: [listTemplateKeys, addTemplateKey, updateTemplateKey, removeTemplateKey, validateEnvironment],
  webhooks: [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, testWebhook, redeliverWebhook],
  members: [listMembers, inviteMember, acceptInvitation, changeRole, removeMember, leaveOrganization],
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
  ],
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
