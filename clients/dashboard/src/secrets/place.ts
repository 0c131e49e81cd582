/** Where an environment's secrets are in the API, by slugs. */
export interface Place {
  orgSlug: string;
  project: string;
  env: string;
}
