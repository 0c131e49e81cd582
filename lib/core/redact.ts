/** Fields whose values are never logged, at any depth. */
const secretNames = new Set(
  (
    'authorization body challenge codeChallenge codeVerifier cookie cookies currentPassword dotenv newPassword passkey ' +
    'password passwordHash plain recoveryCode recoveryCodes sealed secret secrets set-cookie signature signingSecret ' +
    'stripe-signature subjectToken token totp uri value values wrapped wrappedKeys'
  )
    .toLowerCase()
    .split(' '),
);

/**
 * Our tokens and signing secrets, the payment provider's keys, the 60 base62 digits of sessions, hand-off codes and
 * mailed links (`lib/crypto/credentials.ts`), and JSON Web Tokens (`{"` in base64url).
 */
const credentialPattern =
  /eyJ[\w-]+\.[\w-]+\.[\w-]*|(?:service_tok_|whsec_|sk_live_|sk_test_|rk_live_|rk_test_)[A-Za-z0-9_-]+|(?<![0-9A-Za-z])[0-9A-Za-z]{60}(?![0-9A-Za-z])/g;

const redacted = '[redacted]';
/** Nothing we log is nested deeper, and an error that references half a client library must not flood the log. */
const maximumDepth = 10;

/**
 * A copy as plain JSON data, without anything that is secret by name or format. `code` inside an error is its kind
 * (`ECONNRESET`), which operators need; elsewhere it may be a hand-off code and is redacted.
 */
export const redact = (content: unknown): unknown => redactWithin(content, false, []);

/** @param holders the enclosing objects, to detect cycles */
function redactWithin(content: unknown, insideError: boolean, holders: readonly object[]): unknown {
  if (typeof content === 'string') return content.replace(credentialPattern, redacted);
  if (typeof content === 'bigint') return String(content);
  if (typeof content !== 'object' || content === null) return content;
  if (content instanceof Uint8Array) return `[${content.length} bytes]`;
  if (content instanceof Date) return content.toJSON();
  if (holders.includes(content)) return '[circular]';
  if (holders.length >= maximumDepth) return '[too deep]';
  const isError = content instanceof Error;
  const inError = insideError || isError;
  const redactMember = (member: unknown) => redactWithin(member, inError, [...holders, content]);
  if (Array.isArray(content)) return content.map(redactMember);
  return Object.fromEntries(
    Object.entries(isError ? membersOfError(content) : content).map(([name, member]) => {
      const lower = name.toLowerCase();
      const isSecret = secretNames.has(lower) || (lower === 'code' && !inError);
      return [name, isSecret && member !== null && member !== undefined ? redacted : redactMember(member)];
    }),
  );
}

function membersOfError(error: Error): object {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
