import { useEffect, useState } from 'preact/hooks';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
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

/** The project's data key: its version, its rotation while one runs, and the way to start one. */
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
      lead="Every value of this project is encrypted with a key of its own. Rotating makes a new one and encrypts everything again, history included. Reads and writes go on."
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
          <p>When it is done, nothing is left under the old key, and the old key is deleted.</p>
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
      {running ? 'Encrypting again: ' : `Rotated from ${fromVersion} to ${toVersion}: `}
      <span class="mono">
        {reencrypted.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>{' '}
      {running && <progress max={Math.max(1, total)} value={reencrypted} aria-label="Rotation" />}
    </p>
  );
}
