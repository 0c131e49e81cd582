import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { callLimits } from '../core/call-limits.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';

const s3Client = /* @__PURE__ */ oncePerProcess('s3-client', () => new S3Client(callLimits));

/** Puts an object into the archive. If one of that name exists, it has the same content, so this does nothing. */
export async function putIntoArchive(name: string, content: Uint8Array): Promise<void> {
  const Bucket = requiredSetting('AUDIT_ARCHIVE_BUCKET');
  const object = { Bucket, Key: name, Body: content, ContentType: 'application/gzip', IfNoneMatch: '*' };
  try {
    await s3Client().send(new PutObjectCommand(object));
  } catch (error) {
    // `If-None-Match` needs no right to read (Amazon S3 User Guide, conditional writes).
    if (!(error instanceof Error && error.name === 'PreconditionFailed')) throw error;
  }
}
