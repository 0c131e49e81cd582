import { HoldfastError } from '#clients/sdk/src/index.ts';

export async function withVariables<T>(variables: Record<string, string>, work: () => Promise<T> | T): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** @throws Error if the work succeeds or fails with an unexpected error */
export async function failureOf(work: Promise<unknown>): Promise<HoldfastError> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error instanceof HoldfastError) return error;
  throw new Error(`No HoldfastError: ${error}`);
}
