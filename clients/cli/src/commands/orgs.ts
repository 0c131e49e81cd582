import { defineCommand } from '../define-command.ts';

export default defineCommand({
  name: 'orgs',
  heading: 'Organize',
  position: 1,
  description: 'list your organizations',
  example: 'holdfast orgs',
  run: async session => {
    const { organizations } = await session.currentUser();
    if (session.output.json) return session.output.document({ organizations });
    session.output.table(
      ['SLUG', 'NAME', 'ROLE', 'PLAN'],
      organizations.map(({ slug, name, role, plan }) => [slug, name, role, plan]),
      undefined,
      ['NAME'],
    );
  },
});
