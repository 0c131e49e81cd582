import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import './shown-once.css';

/** A secret that the service returns only once. Closing the dialog removes it from the page. */
export function ShownOnce({ name, value }: { name: string; value: string }) {
  return (
    <div class="shown-once">
      <p>
        <strong>{name}</strong> is only shown once. Copy it now.
      </p>
      <code class="mono">{value}</code>
      <CopyButton kind="primary" text={() => value} />
    </div>
  );
}

/** Shows a secret that is not shown again, until the user confirms having copied it. */
export function ShownOnceDialog({
  title,
  name,
  value,
  onClose,
}: {
  title: string;
  name: string;
  value: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} firm onClose={onClose}>
      <ShownOnce name={name} value={value} />
      <div class="actions">
        <Button onClick={onClose}>I have it</Button>
      </div>
    </Dialog>
  );
}
