import type { PlanLimits, Usage } from '@holdfast/contracts/fields/limits.ts';
import { Facts } from '../../ui/facts.tsx';
import { limitInWords } from '../../ui/limits.ts';
import { Section } from '../../ui/page.tsx';
import '../../ui/meter.css';

export function UsageSection({ usage, limits }: { usage: Usage; limits: PlanLimits }) {
  const people = usage.members + usage.invitations;
  return (
    <Section title="Limits">
      <Facts
        facts={[
          ['Projects', <Meter key="p" name="Projects" used={usage.projects} limit={limits.maxProjects} />],
          ['Members and invitations', <Meter key="m" name="Members" used={people} limit={limits.maxMembers} />],
          ['Webhooks', <Meter key="w" name="Webhooks" used={usage.webhooks} limit={limits.maxWebhooks} />],
          [
            'Environments',
            <UpTo key="e" used={usage.environments} limit={limits.maxEnvironmentsPerProject} place="a project" />,
          ],
          [
            'Secrets',
            <UpTo key="s" used={usage.secrets} limit={limits.maxSecretsPerEnvironment} place="an environment" />,
          ],
          ['Requests per minute', limitInWords(limits.requestsPerMinute)],
          ['Audit log', retentionInWords(limits.auditRetentionDays)],
        ]}
      />
    </Section>
  );
}

function retentionInWords(days: number): string {
  return days === -1 ? 'kept forever' : `kept for ${limitInWords(days)} days`;
}

/** A total whose limit applies to each of its parts. */
function UpTo({ used, limit, place }: { used: number; limit: number; place: string }) {
  return (
    <>
      {used.toLocaleString('en')}{' '}
      <span class="quiet">
        {limit === -1 ? 'unlimited' : `up to ${limitInWords(limit)}`} in {place}
      </span>
    </>
  );
}

function Meter({ name, used, limit }: { name: string; used: number; limit: number }) {
  return (
    <>
      {used.toLocaleString('en')} <span class="quiet">of {limitInWords(limit)}</span>
      {limit !== -1 && used >= limit && <span class="bad"> full</span>}
      {limit !== -1 && (
        <meter min={0} max={Math.max(limit, 1)} value={Math.min(used, limit)} aria-label={`${name} used`} />
      )}
    </>
  );
}
