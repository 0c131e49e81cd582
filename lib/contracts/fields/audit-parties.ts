/** How the actor authenticated; `system` if the service acted on its own. */
export const actorTypes = ['session', 'token', 'identity', 'system'] as const;

/** The kinds of things that an action can target. */
export const targetTypes = [
  'organization',
  'project',
  'environment',
  'template_key',
  'webhook',
  'member',
  'invitation',
  'token',
  'identity',
] as const;
