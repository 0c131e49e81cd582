/** One side waits for it, and the other opens it. */
export function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { open, opened };
}
