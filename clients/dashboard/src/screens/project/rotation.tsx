import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Section } from '../../ui/page.tsx';
import '../../ui/meter.css';

interface RotationProps extends Pick<ProjectProps, 'project' | 'reload'> {
  params: { orgId: string; slug: string };
  whyNot: string | undefined;
}

/** The version of the project's data key, and its rotation. */
export function Rotation({ params, project, reload, whyNot }: RotationProps) {
  const [confirming, setConfirming] = useState(false);
  const running = project.rotation?.status === 'in_progress';
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => void reload(), 1500);
    return () => window.clearInterval(timer);
  }, [running]);
  return (
    <Section
      title="Encryption key"
      lead="Every value in this project is encrypted with the project’s own data key. Rotation creates a new key and re-encrypts everything, including history. Reads and writes keep working."
    >
      <p>
        Version <strong class="mono">{project.keyVersion}</strong>
      </p>
      {project.rotation !== null && <Progress rotation={project.rotation} />}
      <Button onClick={() => setConfirming(true)} disabled={running} whyNot={whyNot}>
        Rotate the key
      </Button>
      {confirming && (
        <Confirm
          title="Rotate the encryption key"
          action="Rotate"
          danger={false}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('POST /v1/projects/{orgId}/{slug}/rotate-key', { params });
            await reload();
          }}
        >
          <p>Once everything is re-encrypted under the new key, the old key is deleted.</p>
        </Confirm>
      )}
    </Section>
  );
}

function Progress({ rotation }: { rotation: NonNullable<Project['rotation']> }) {
  const { status, fromVersion, toVersion, reencrypted, total } = rotation;
  const running = status === 'in_progress';
  return (
    <p>
      {running ? 'Re-encrypted so far: ' : `Rotated from ${fromVersion} to ${toVersion}: `}
      <span class="mono">
        {reencrypted.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>{' '}
      {running && <progress max={Math.max(1, total)} value={reencrypted} aria-label="Rotation" />}
    </p>
  );
}
