// Chooses the user that PostgreSQL runs as. It refuses root, so a root daemon runs it as an unprivileged user that owns
// nothing but the data directory. The home stays 0700 and root's: that user never traverses the path, it starts inside
// the data directory and refers to it as `/proc/self/cwd`. Without /proc (macOS as root) the path must be traversed, so
// home and directory become 0711: they can be passed through, not listed, and every file in them stays 0600.

import { constants } from 'node:fs';
import { access, chmod, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RelayError } from '@relay/contract/errors';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The link that leads a process to its working directory without traversing the path. */
const OWN_DIRECTORY = '/proc/self/cwd';
const UNPRIVILEGED_NAMES = ['postgres', 'nobody'];

/** `undefined`: the daemon's own user is suitable. An existing data directory keeps its owner. */
export async function chooseServerUser(data: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = unprivilegedUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  if (!user) {
    throw new RelayError('database_start_failed', {
      reason:
        'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody" to run it as. Start Relay as a regular user.',
    });
  }
  if (owner) await giveTree(data, user);
  return user;
}

export function unprivilegedUser(passwd: string): ServerUser | undefined {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  for (const name of UNPRIVILEGED_NAMES) {
    const row = rows.find((fields) => fields[0] === name);
    const uid = Number(row?.[2]);
    const gid = Number(row?.[3]);
    if (row && uid > 0 && gid > 0) return { uid, gid };
  }
  return undefined;
}

/** The `-D` argument for a program that was started inside `data`. */
export async function dataArgument(data: string, user: ServerUser | undefined): Promise<string> {
  if (!user) return data;
  if (await canUse(OWN_DIRECTORY)) return OWN_DIRECTORY;
  const directory = dirname(data);
  await chmod(directory, 0o711);
  await chmod(dirname(directory), 0o711);
  return data;
}

/** For a home that root copied back: the server must own its files again. */
async function giveTree(path: string, user: ServerUser): Promise<void> {
  await lchown(path, user.uid, user.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, user);
    else await lchown(child, user.uid, user.gid);
  }
}

/** Whether `user` could open `path` for reading, judged by mode bits, parents included. */
export async function isReadableBy(user: ServerUser, path: string): Promise<boolean> {
  for (let at = path, wanted = 0o4; ; at = dirname(at), wanted = 0o1) {
    const { mode, uid, gid } = await stat(at);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & wanted) !== wanted) return false;
    if (at === dirname(at)) return true;
  }
}

async function canUse(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
