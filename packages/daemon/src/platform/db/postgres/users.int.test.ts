// Which user runs the server and from where: root with a closed home, an ordinary user, a read-only package, a package
// that only root may enter.

import { chmod, cp, lstat, mkdtemp, readdir, readlink, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  isRoot,
  NOBODY,
  newDirectory,
  openToEveryone,
  query,
  serverPid,
  start,
  startElsewhere,
} from '@relay/testing/private-server';
import { removeFolder } from '@relay/testing/remove-folder';
import { expect, onTestFinished, test } from 'vitest';
import { platformPackage } from './binaries.ts';

const needsRoot = isRoot ? false : 'needs root';
const needsOthers = isRoot && (await openToEveryone()) ? false : 'needs root and an open checkout';

test.skipIf(needsRoot)(
  'as root, the server runs as an unprivileged user in a home only root may enter',
  async () => {
    const directory = await newDirectory();
    const server = await start(directory);
    expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
    const home = await stat(dirname(directory));
    expect([home.uid, home.mode & 0o777]).toEqual([0, 0o700]);
    expect((await stat(directory)).uid).toBe(0);
    expect((await stat(join(directory, 'password'))).uid).toBe(0);
    const { uid } = await stat(join(directory, 'data'));
    expect(uid).not.toBe(0);
    expect((await stat(`/proc/${await serverPid(directory)}`)).uid).toBe(uid);
    expect(await query(server.owner, `SELECT pg_read_file('PG_VERSION')`)).toEqual(['18\n']);
  },
);

test.skipIf(needsRoot)('a home that root copied back works again', async () => {
  const directory = await newDirectory();
  const server = await start(directory);
  await query(server.owner, 'CREATE TABLE kept ()');
  await server.stop();
  const copy = await newDirectory();
  await cp(directory, copy, { recursive: true });
  expect((await stat(join(copy, 'data'))).uid).toBe(0);
  const again = await start(copy);
  expect(await query(again.owner, 'SELECT count(*)::int FROM kept')).toEqual([0]);
});

test.skipIf(needsRoot)('as root, programs run from a package only root may enter', async () => {
  const closed = await copyOfPackage();
  await chmod(closed, 0o700);
  const copies = await mkdtemp(join(tmpdir(), 'relay-copies-'));
  onTestFinished(() => removeFolder(copies));
  const directory = await newDirectory();
  const sentences: string[] = [];
  for (const copying of [true, false]) {
    const server = await start(directory, {
      binaryPlaces: { package: closed, copies },
      onProgress: (sentence) => void sentences.splice(0, 9, sentence),
    });
    expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
    expect(await readlink(`/proc/${await serverPid(directory)}/exe`)).toContain(copies);
    expect((await readdir(copies)).length).toBe(1);
    expect(sentences.length).toBe(copying ? 1 : 0);
    sentences.length = 0;
    await server.stop();
  }
});

test.skipIf(needsOthers)('an ordinary user runs the server in their own home', async () => {
  const directory = await newDirectory(NOBODY);
  const holder = await startElsewhere(directory, { user: NOBODY });
  expect(await query(holder.connection, 'SELECT 1')).toEqual([1]);
  for (const path of [directory, join(directory, 'data'), join(directory, 'password')]) {
    expect((await stat(path)).uid).toBe(NOBODY.uid);
  }
  expect((await stat(`/proc/${await serverPid(directory)}`)).uid).toBe(NOBODY.uid);
});

test('creates the library links that no install script created', async () => {
  const bare = await copyOfPackage();
  const server = await start(await newDirectory(), { binaryPlaces: { package: bare } });
  expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
  expect((await linksIn(join(bare, 'native', 'lib'))).length).toBeGreaterThan(0);
});

test.skipIf(needsOthers)('creates links beside the data if the package is read-only', async () => {
  const bare = await copyOfPackage();
  const directory = await newDirectory(NOBODY);
  const holder = await startElsewhere(directory, { user: NOBODY, packageDirectory: bare });
  expect(await query(holder.connection, 'SELECT 1')).toEqual([1]);
  expect(await linksIn(join(bare, 'native', 'lib'))).toEqual([]);
  expect((await linksIn(join(directory, 'lib'))).length).toBeGreaterThan(0);
});

/** The installed package as npm unpacks it: without any link. */
async function copyOfPackage(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'relay-package-'));
  onTestFinished(() => removeFolder(copy));
  await chmod(copy, 0o755);
  await cp(platformPackage(), copy, {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  });
  return copy;
}

async function linksIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => entry.name);
}
