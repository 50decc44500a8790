// An S3 server for tests: @20minutes/s3rver, which keeps its objects in a folder. It is installed apart: testing/s3.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

interface S3Server {
  run(): Promise<unknown>;
  close(): Promise<void>;
}

type MakeS3Server = new (options: {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly allowMismatchedSignatures: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string }[];
}) => S3Server;

const FOLDER = new URL('../s3/', import.meta.url);

export const isS3Installed = (): boolean => existsSync(new URL('node_modules/', FOLDER));

/** These are the only ones that it accepts. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export async function startS3Server(options: {
  readonly port: number;
  readonly directory: string;
  readonly bucket: string;
}): Promise<{ readonly endpoint: string; close(): Promise<void> }> {
  const { port, directory, bucket } = options;
  // It comes without types.
  const make = createRequire(FOLDER)('@20minutes/s3rver') as MakeS3Server;
  const configureBuckets = [{ name: bucket }];
  const server = new make({
    address: '127.0.0.1',
    port,
    silent: true,
    // It checks the signature of a list in another way than the standard.
    allowMismatchedSignatures: true,
    directory,
    configureBuckets,
  });
  await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}
