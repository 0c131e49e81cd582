/** The slugs that address an environment, as they stand in a request's path. */
export interface EnvironmentPath {
  orgSlug: string;
  project: string;
  env: string;
}

/** The parts of a table key of the environment's partition. */
export function partsOf({ orgSlug, project, env }: EnvironmentPath): [orgSlug: string, project: string, env: string] {
  return [orgSlug, project, env];
}
