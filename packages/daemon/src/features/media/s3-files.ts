// Sealed files on a server that speaks S3. It gets the same bytes as the disk would, so it can read nothing of them, and
// what it gives back does not open if it was changed.
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { AccountId } from '@relay/contract/ids';
import type { MediaSettings } from '@relay/contract/settings';
import type { SealedFiles } from './store.ts';

type S3Settings = Pick<
  MediaSettings,
  | 's3_bucket'
  | 's3_endpoint'
  | 's3_region'
  | 's3_prefix'
  | 's3_access_key_id'
  | 's3_secret_access_key'
>;

/** Null without a bucket: files are in the home. The library is loaded only with one. */
export async function openS3Files(
  settings: S3Settings,
  account: AccountId,
): Promise<SealedFiles | null> {
  const { s3_bucket: Bucket, s3_prefix } = settings;
  if (Bucket === null) return null;
  const sdk = await import('@aws-sdk/client-s3');
  const client: S3Client = new sdk.S3Client(clientConfig(settings));
  const folder = [withoutSlash(s3_prefix), String(account), '']
    .filter((part, n) => n > 0 || part !== '')
    .join('/');
  const place = (object: string) => ({ Bucket, Key: `${folder}${object}` });
  return {
    async place(object, file) {
      const { size } = await stat(file);
      const body = { Body: createReadStream(file), ContentLength: size };
      await client.send(new sdk.PutObjectCommand({ ...place(object), ...body }));
      await rm(file);
    },
    async read(object, { start, end }) {
      const range = { Range: `bytes=${start}-${end}` };
      const { Body } = await client.send(new sdk.GetObjectCommand({ ...place(object), ...range }));
      if (Body === undefined) throw new Error('the S3 server sent no body');
      return Body as Readable;
    },
    async remove(object) {
      await client.send(new sdk.DeleteObjectCommand(place(object)));
    },
    async *list() {
      const all = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: folder });
      for await (const { Contents = [] } of all) {
        for (const { Key = '' } of Contents) yield Key.slice(folder.length);
      }
    },
  };
}

function clientConfig({
  s3_endpoint: endpoint,
  s3_region: region,
  s3_access_key_id: accessKeyId,
  s3_secret_access_key: secretAccessKey,
}: S3Settings): S3ClientConfig {
  return {
    region,
    // Self-hosted servers rarely have a host name for each bucket.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === null || secretAccessKey === null
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
    // Many servers do not know the checksums that are sent by default; each chunk has a tag of its own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

function withoutSlash(prefix: string): string {
  let end = prefix.length;
  while (prefix[end - 1] === '/') end -= 1;
  return prefix.slice(0, end);
}
