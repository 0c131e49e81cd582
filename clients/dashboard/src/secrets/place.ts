/** The slugs in the API path of an environment's secrets. */
export interface Place {
  orgSlug: string;
  project: string;
  env: string;
}
