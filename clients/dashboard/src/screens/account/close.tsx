import { useState } from 'preact/hooks';
import { call, Refusal } from '../../api.ts';
import { ProofForm } from '../../factors/proof-form.tsx';
import { forgetSession } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { showToast } from '../../ui/toast.tsx';

export function CloseAccount() {
  const [closing, setClosing] = useState(false);
  return (
    <Section
      title="Close account"
      lead="Ends your memberships, sessions and tokens for good. What you created in organizations stays there."
      danger
    >
      <div class="actions">
        <Button kind="danger" onClick={() => setClosing(true)}>
          Close account…
        </Button>
      </div>
      {closing && <CloseDialog onClose={() => setClosing(false)} />}
    </Section>
  );
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const [lasts, setLasts] = useState<readonly Organization[]>([]);
  return (
    <Dialog title="Close account" onClose={onClose}>
      <ProofForm
        action="Close account"
        danger
        onCancel={onClose}
        send={async body => {
          await call('DELETE /v1/auth/me', { body }).catch((error: unknown) => {
            setLasts(organizationsIn(error));
            throw error;
          });
          forgetSession();
          showToast('Your account is closed.');
        }}
      >
        <p>
          You lose access to all your organizations at once, and nobody can undo this. You can register again with your
          address, but the new account gets nothing of this one.
        </p>
        {lasts.length > 0 && <p>These organizations would have no owner:</p>}
        {lasts.length > 0 && (
          <ul>
            {lasts.map(({ slug, name }) => (
              <li key={slug}>
                <a href={`/organizations/${slug}/members`}>{name}</a>
              </li>
            ))}
          </ul>
        )}
      </ProofForm>
    </Dialog>
  );
}

interface Organization {
  slug: string;
  name: string;
}

/** Those that would have no owner. */
function organizationsIn(error: unknown): readonly Organization[] {
  if (!(error instanceof Refusal) || error.code !== 'last_owner') return [];
  return (error.details as { organizations?: readonly Organization[] } | undefined)?.organizations ?? [];
}
