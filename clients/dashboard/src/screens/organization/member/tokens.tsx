import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { CliToken } from '@holdfast/contracts/auth/tokens.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { Button } from '../../../ui/button.tsx';
import { Leaked } from '../../../ui/leaked.tsx';
import { Section } from '../../../ui/page.tsx';
import { RevokeToken } from '../../../ui/revoke-token.tsx';
import { scopeInWords } from '../../../ui/scope-fields.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { LastUsed, Time } from '../../../ui/time.tsx';
import { expiresColumn, tokenColumn } from '../../../ui/token-columns.tsx';

interface MemberTokensProps {
  organization: OwnOrganization;
  member: Member;
  tokens: readonly CliToken[];
  projects: readonly Project[];
  isOwn: boolean;
  onChanged: () => Promise<void>;
}

/** The tokens that act for a member in the organization. Only the member can revoke them. */
export function MemberTokens({ organization, member, tokens, projects, isOwn, onChanged }: MemberTokensProps) {
  const [revoking, setRevoking] = useState<CliToken>();
  return (
    <Section title="Tokens" lead="Those that reach this organization. A token never has more rights than its user.">
      {tokens.length === 0 ? (
        <p class="hint">None.</p>
      ) : (
        <Table
          caption={`Tokens of ${member.email}`}
          rows={tokens}
          keyOf={({ id }) => id}
          columns={columns(organization.slug, projects, isOwn ? setRevoking : undefined)}
        />
      )}
      {!isOwn && tokens.length > 0 && (
        <p class="hint">
          Only {member.email} can revoke them. Those that are limited to this organization end with the membership, and
          none works here without it.
        </p>
      )}
      {revoking !== undefined && (
        <RevokeToken token={revoking} onRevoked={onChanged} onClose={() => setRevoking(undefined)} />
      )}
    </Section>
  );
}

const columns = (
  slug: string,
  projects: readonly Project[],
  onRevoke: ((token: CliToken) => void) | undefined,
): readonly Column<CliToken>[] => [
  tokenColumn,
  { title: 'Access', cell: ({ access }) => access },
  { title: 'Reaches', cell: token => reachInWords(token, projects) },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  expiresColumn,
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: token => (
      <>
        <Leaked slug={slug} type="token" id={token.id} name={token.name} />
        {onRevoke !== undefined && (
          <Button kind="quiet" label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        )}
      </>
    ),
  },
];

function reachInWords(token: CliToken, projects: readonly Project[]): string {
  if (token.organizationId === null) return 'all organizations';
  return token.projectId === null ? 'this organization' : scopeInWords(token, projects);
}
