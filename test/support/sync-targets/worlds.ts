import { openJsonSecret, openSecrets, openSystemsManager } from './aws.ts';
import { openCloudflare } from './cloudflare.ts';
import { openGitHub } from './github.ts';
import { openKubernetes } from './kubernetes.ts';
import type { TargetWorld } from './target-server.ts';
import { openVercel } from './vercel.ts';

/** Each kind of place that a sync can write to, with the name of its target. */
export const worlds: readonly {
  target: string;
  kind: string;
  open: (file: (name: string, text: string) => string) => Promise<TargetWorld>;
}[] = [
  { target: 'kubernetes', kind: 'a Kubernetes Secret', open: openKubernetes },
  { target: 'github', kind: 'secrets of a repository', open: openGitHub },
  { target: 'aws-ssm', kind: 'parameters', open: openSystemsManager },
  { target: 'aws-secrets-manager', kind: 'a secret for each key', open: openSecrets },
  { target: 'aws-secrets-manager', kind: 'one secret of JSON', open: openJsonSecret },
  { target: 'vercel', kind: 'variables of a Vercel project', open: openVercel },
  { target: 'cloudflare', kind: 'secrets of a Worker', open: () => openCloudflare() },
  {
    target: 'cloudflare',
    kind: 'secrets of a Worker, without bulk requests',
    open: () => openCloudflare({ hasBulk: false }),
  },
];
