import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import './proof.css';

/** What the user decided about a planned change. */
export interface Sending {
  /** The reason, for the history; may be empty. */
  message: string;
  /** Propose it instead of applying it. */
  proposes: boolean;
  /** Why an owner applies it without the approvals that the environment requires. */
  bypass?: string | undefined;
}

interface ConfirmedProps {
  environment: Environment;
  /** Whether the environment changes at once. For production, the user must then type its slug. */
  changesNow: boolean;
  label: string;
  busy: boolean;
  disabled?: boolean | undefined;
  whyNot?: string | undefined;
  /** Further fields. */
  children?: ComponentChildren;
  /** Other buttons, apart from the main one. */
  others?: ComponentChildren;
  onConfirm: () => void;
}

/** The confirmation of something that changes an environment. */
export function Confirmed(props: ConfirmedProps) {
  const { environment, changesNow, label, busy, disabled, whyNot, children, others, onConfirm } = props;
  const [typed, setTyped] = useState('');
  const takesSlug = changesNow && environment.type === 'production' && whyNot === undefined;
  const ready = !disabled && (!takesSlug || typed === environment.slug);
  return (
    <form
      class="apply"
      onSubmit={event => {
        event.preventDefault();
        if (ready && !busy && whyNot === undefined) onConfirm();
      }}
    >
      {children}
      {takesSlug && (
        <Field
          label={`Type ${environment.slug} to change production`}
          name="confirmation"
          mono
          value={typed}
          onInput={setTyped}
        />
      )}
      <div class="actions">
        <Button type="submit" kind="primary" busy={busy} disabled={!ready} whyNot={whyNot}>
          {label}
        </Button>
        {others}
      </div>
    </form>
  );
}

interface ApplyProps extends Pick<ConfirmedProps, 'environment' | 'label' | 'busy' | 'disabled' | 'whyNot'> {
  role: Role;
  onApply: (sending: Sending) => void;
}

/**
 * The reason and confirmation of a change. Where changes need approval it is proposed, unless an owner applies it
 * without.
 */
export function Apply({ role, label, onApply, ...shared }: ApplyProps) {
  const { environment, busy, disabled, whyNot } = shared;
  const [message, setMessage] = useState('');
  const [isBypassing, setBypassing] = useState(false);
  const proposes = environment.approvals > 0;
  return (
    <>
      <Confirmed
        {...shared}
        changesNow={!proposes}
        label={proposes ? 'Propose' : label}
        others={
          proposes &&
          role === 'owner' && (
            <span class="apart">
              <Button
                kind="quiet"
                disabled={disabled || busy || whyNot !== undefined}
                onClick={() => setBypassing(true)}
              >
                Apply without approval …
              </Button>
            </span>
          )
        }
        onConfirm={() => onApply({ message: message.trim(), proposes })}
      >
        <Field
          label="Why? (optional)"
          name="message"
          maxLength={200}
          value={message}
          onInput={setMessage}
          hint={
            proposes
              ? 'One line for those who decide about it. Never a value.'
              : 'One line for the history and the audit log. Never a value.'
          }
        />
      </Confirmed>
      {isBypassing && (
        <Bypass
          environment={environment}
          onBypass={bypass => onApply({ message: message.trim(), proposes: false, bypass })}
          onClose={() => setBypassing(false)}
        />
      )}
    </>
  );
}

interface BypassProps {
  environment: Environment;
  onBypass: (reason: string) => void;
  onClose: () => void;
}

/** For an emergency. The change is sent after this dialog, which then asks who it is. */
function Bypass({ environment: { slug, type }, onBypass, onClose }: BypassProps) {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title="Apply without approval"
      action="Apply without approval"
      {...(type === 'production' && { word: slug })}
      onConfirm={async () => onBypass(reason.trim())}
      onClose={onClose}
    >
      <p>
        {slug} changes at once, and nobody approves it. All owners and admins get a mail with your reason, and the audit
        log records it.
      </p>
      <Field
        label="Reason"
        name="reason"
        required
        maxLength={200}
        value={reason}
        onInput={setReason}
        hint="One line, such as what is down. Never a value."
      />
    </Confirm>
  );
}
