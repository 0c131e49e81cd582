import { defineCommand } from '../define-command.ts';

export default defineCommand({
  name: 'whoami',
  heading: 'Sign in',
  position: 3,
  description: 'show who is signed in',
  example: 'holdfast whoami',
  run: async session => {
    const { output } = session;
    const { identity } = await session.credential();
    if (identity !== undefined) {
      // This exchanges the token, and so reports an identity that is not accepted.
      await identity.organizationId();
      const { id, organization } = identity;
      if (output.json) output.document({ identity: { id, organization } });
      else output.data(`the identity ${id} of ${organization}\n`);
      return;
    }
    const answer = await session.currentUser();
    if (output.json) return output.document(answer);
    const { user, organizations, authentication } = answer;
    output.data(`${user.email}\n`);
    const { token } = authentication;
    if (token !== undefined) {
      const limits = [token.organizationId, token.projectId, token.environmentId].filter(id => id != null).length;
      const scope = ['everything you can see', 'one organization', 'one project', 'one environment'][limits] ?? '';
      output.note(
        `with the token “${token.name}”: ${token.access}, ${scope}, until ${token.expiresAt == null ? 'it is revoked' : output.time(token.expiresAt, 2)}`,
      );
    }
    for (const { slug, role } of organizations) output.note(`${role} of ${slug}`);
  },
});
