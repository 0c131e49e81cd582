import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import './shown-once.css';

/** A secret that the service tells once. It leaves the page with its dialog. */
export function ShownOnce({ name, value }: { name: string; value: string }) {
  return (
    <div class="shown-once">
      <p>
        <strong>{name}</strong> is shown this once. Copy it now; it can’t be shown again.
      </p>
      <code class="mono">{value}</code>
      <CopyButton kind="primary" text={() => value} />
    </div>
  );
}

/** Shows a secret that is not shown again, until its owner says that they have it. */
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
