import { Uuid } from './text.ts';

/* Ids, with the examples that the whole documentation uses for them. */
export const OrganizationId = Uuid.meta({ example: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31' });
export const ProjectId = Uuid.meta({ example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' });
export const EnvironmentId = Uuid.meta({ example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094' });
export const UserId = Uuid.meta({ example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' });
export const WebhookId = Uuid.meta({ example: 'f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940' });
export const IdentityId = Uuid.meta({ example: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754' });
