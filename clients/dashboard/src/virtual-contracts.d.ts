declare module 'virtual:contracts' {
  export const auditActions: typeof import('@holdfast/contracts/fields/audit-action.ts').auditActions;
  export const environmentRules: typeof import('@holdfast/contracts/fields/role.ts').environmentRules;
  export const environmentTypes: typeof import('@holdfast/contracts/fields/role.ts').environmentTypes;
  export const eventNames: typeof import('@holdfast/contracts/fields/events.ts').eventNames;
  export const eventPayloadExample: typeof import('@holdfast/contracts/fields/events.ts').eventPayloadExample;
  export const exposureWays: typeof import('@holdfast/contracts/audit/exposure.ts').exposureWays;
  /** The routes that need a step-up, such as `DELETE /v1/orgs/{orgId}`. */
  export const freshRoutes: Readonly<Record<string, { summary: string; roles: readonly string[] } | undefined>>;
  export const limitNames: typeof import('@holdfast/contracts/fields/limits.ts').limitNames;
  export const maxApprovals: typeof import('@holdfast/contracts/fields/proposal.ts').maxApprovals;
  export const planNames: typeof import('@holdfast/contracts/fields/limits.ts').planNames;
  /** The operations of an organization that a project's admins may call for their project. */
  export const projectAdminOperations: readonly string[];
  export const readingActions: typeof import('@holdfast/contracts/fields/audit-action.ts').readingActions;
  export const roles: typeof import('@holdfast/contracts/fields/role.ts').roles;
  export const signInErrors: typeof import('@holdfast/contracts/auth/sign-in.ts').signInErrors;
  export const slugPattern: string;
  export const rolesOf: Readonly<
    Record<string, readonly import('@holdfast/contracts/fields/role.ts').Role[] | undefined>
  >;
  export const subjects: typeof import('@holdfast/contracts/audit/exposure.ts').subjects;
}

declare module '*.css';
