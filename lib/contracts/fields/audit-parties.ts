/** How who did something was authenticated; `system` = by no request of a user. */
export const actorTypes = ['session', 'token', 'system'] as const;

/** What kinds of things something is done to. */
export const targetTypes = [
  'organization',
  'project',
  'environment',
  'template_key',
  'webhook',
  'member',
  'invitation',
  'token',
] as const;
