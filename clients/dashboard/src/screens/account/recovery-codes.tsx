import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** The new codes. Closing the dialog removes them from the page. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" firm onClose={onClose}>
      <p>
        Keep them where you keep your passport, not next to your password. They are <strong>only shown once</strong>.
        Nobody can let you in without your second factor or one of these codes.
      </p>
      <ol class="codes mono">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div class="actions">
        <CopyButton kind="primary" text={() => codes.join('\n')} />
        <Button onClick={onClose}>I have them</Button>
      </div>
    </Dialog>
  );
}
