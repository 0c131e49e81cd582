import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { logOut } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { clientName } from '../../ui/client-name.ts';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { LeakedOf } from './leaked.tsx';

type Session = Answer<'GET /v1/auth/sessions'>['sessions'][number];

export function Sessions() {
  const sessions = useLoad('sessions', async signal => (await call('GET /v1/auth/sessions', { signal })).sessions);
  const end = useAction(async ({ id: sessionId, current }: Session) => {
    if (current) {
      await logOut();
      return;
    }
    await call('DELETE /v1/auth/sessions/{sessionId}', { params: { sessionId } });
    showToast('Session ended.');
    await sessions.reload();
  });
  return (
    <Section title="Sessions" lead="Where you are logged in.">
      <Problem error={end.error} />
      <Await of={sessions}>
        {list => (
          <Table
            caption="Sessions"
            rows={list}
            keyOf={({ id }) => id}
            columns={columns(session => void end.run(session))}
          />
        )}
      </Await>
    </Section>
  );
}

const columns = (onEnd: (session: Session) => void): readonly Column<Session>[] => [
  {
    title: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        {clientName(userAgent) || 'unknown'} {current && <span class="good">this one</span>}
      </>
    ),
  },
  { title: 'From', cell: ({ ip }) => <span class="mono">{ip}</span> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { title: 'Logged in', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: session => (
      <>
        <LeakedOf
          type="session"
          id={session.id}
          name={session.current ? 'this session' : `the session from ${session.ip}`}
          organizationId={null}
        />
        <Button
          kind="quiet"
          label={session.current ? 'Log out here' : `End the session from ${session.ip}`}
          onClick={() => onEnd(session)}
        >
          {session.current ? 'Log out' : 'End'}
        </Button>
      </>
    ),
  },
];
