import { revokeToken } from '../connect.ts';
import { findKept, forgetCredential } from '../credentials/credentials.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import { originOf } from '../settings/address.ts';

export default defineCommand({
  name: 'logout',
  heading: 'Sign in',
  position: 2,
  description: 'sign out and revoke the token',
  example: 'holdfast logout',
  run: async session => {
    const { output } = session;
    const url = session.url();
    const origin = originOf(url);
    // An unreachable keyring or a revoked token must not prevent signing out here.
    const kept = await findKept(origin).catch(() => undefined);
    let failure: Failure | undefined;
    if (kept?.kept?.handedOff) {
      failure = await revokeToken(url, kept.token).then(
        () => undefined,
        error => failureOf(error),
      );
    }
    await forgetCredential(origin);
    const isDead = failure === undefined || failure.exitCode === exitCodes.signIn;
    if (!isDead && failure !== undefined) {
      const { exitCode, code, message, requestId } = failure;
      throw new Failure(exitCode, code, `The token is deleted here, but it could not be revoked: ${message}`, {
        requestId,
        hint: `Revoke it in the dashboard: ${url}/account/tokens`,
      });
    }
    const revoked = kept?.kept?.handedOff === true;
    if (output.json) output.document({ origin, signedOut: kept !== undefined, revoked });
    else if (kept === undefined) output.note(`You were not signed in to ${origin}.`);
    else output.note(`Signed out of ${origin}${revoked ? '; the token is revoked' : ''}.`);
    if (process.env.HOLDFAST_TOKEN) output.warn('HOLDFAST_TOKEN is still set in this shell.');
  },
});
