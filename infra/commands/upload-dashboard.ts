import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DashboardFiles } from '#clients/dashboard/build.ts';
import { type Config, ConfigError } from '../plan/config.ts';
import { mediaTypeOf } from '../plan/dashboard-headers.ts';

/**
 * Uploads the dashboard and the downloads to the bucket behind the edge. The scripts and the page come after the assets,
 * so that they never reference a missing file. Assets of earlier versions stay, for pages that are still open, for
 * installers that are running and for a rollback.
 * @throws ConfigError if the bucket refuses a file
 */
export async function uploadDashboard(
  { region }: Pick<Config, 'region'>,
  bucket: string,
  files: DashboardFiles,
): Promise<void> {
  const client = new S3Client(region === undefined ? {} : { region });
  const upload = (path: string, content: Buffer) => {
    const key = path === '/' ? 'index.html' : path.slice(1);
    return client.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: content, ContentType: mediaTypeOf(key) }),
    );
  };
  const {
    assets = [],
    scripts = [],
    pages = [],
  } = Object.groupBy(files, ([path]) => {
    if (path === '/') return 'pages';
    return path.startsWith('/assets/') ? 'assets' : 'scripts';
  });
  try {
    for (const group of [assets, scripts, pages]) {
      await Promise.all(group.map(([path, content]) => upload(path, content)));
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `The API is deployed, but the dashboard could not be uploaded to ${bucket}: ${reason}. Browsers keep the previous ` +
        'dashboard. The upload needs s3:PutObject on the bucket’s objects; then run the same command again.',
    );
  } finally {
    client.destroy();
  }
}
