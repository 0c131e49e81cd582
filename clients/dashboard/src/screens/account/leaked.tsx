import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { may, session, whoMay } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { exposurePath, Leaked, sawWords } from '../../ui/leaked.tsx';
import '../../ui/key-lines.css';

interface OwnCredentialProps {
  type: 'token' | 'session';
  id: string;
  name: string;
  /** The only organization that it can access; null for all of the user's organizations. */
  organizationId: string | null;
}

/**
 * *What it saw* for a credential of the account, in case it leaked. This is a question to the audit log of each organization, which
 * only some roles may ask. If there is only one possible answer, this links to it; otherwise the user chooses.
 */
export function LeakedOf(credential: OwnCredentialProps) {
  const { type, id, name, organizationId } = credential;
  const [choosing, setChoosing] = useState(false);
  const all = session.value?.organizations ?? [];
  const reachable = all.filter(({ id: own }) => organizationId === null || own === organizationId);
  const [first] = reachable;
  if (reachable.length === 1 && first !== undefined && may('get-exposure', first.role))
    return <Leaked slug={first.slug} type={type} id={id} name={name} />;
  return (
    <>
      <Button kind="quiet" label={`${sawWords(type)}: ${name}`} onClick={() => setChoosing(true)}>
        {sawWords(type)}
      </Button>
      {choosing && <Choose {...{ credential, reachable }} onClose={() => setChoosing(false)} />}
    </>
  );
}

interface ChooseProps {
  credential: OwnCredentialProps;
  reachable: readonly OwnOrganization[];
  onClose: () => void;
}

function Choose({ credential: { type, id, name }, reachable, onClose }: ChooseProps) {
  return (
    <Dialog title={`What ${name} saw`} onClose={onClose}>
      {reachable.length === 0 ? (
        <p>
          You have left the organization that this {type} is limited to. Its owners and admins can look up what it saw
          in their audit log.
        </p>
      ) : (
        <>
          <p>Each organization has an audit log of its own.</p>
          <ul class="keys-list">
            {reachable.map(({ slug, name: organization, role }) => {
              const path = exposurePath(slug, { [type]: id });
              return (
                <li key={slug}>
                  <strong>{organization}</strong>
                  {may('get-exposure', role) ? (
                    <a href={path}>What it saw here</a>
                  ) : (
                    <>
                      <span class="hint">{whoMay('get-exposure', 'look this up')} Send them the link.</span>
                      <CopyButton label="Copy the link" text={() => `${window.location.origin}${path}`} />
                    </>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Dialog>
  );
}
