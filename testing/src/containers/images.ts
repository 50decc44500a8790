// Provides the images for the checks: each is pulled if its registry answers, and otherwise built from Debian's
// packages and npm.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Engine } from './engine.ts';

/** Marks an image that replaces the one whose name it carries. */
const STAND_IN = 'relay.stand-in';
const PULL_SECONDS = 60;

/** `node:24` → `docker.io/library/node:24`: what Docker means by a name without a registry. */
export function fullName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]|^localhost$/.test(first) ? image : `docker.io/${image}`;
}

interface Found {
  readonly isStandIn: boolean;
}

async function pullOrMake(
  engine: Engine,
  image: string,
  make: () => Promise<void>,
): Promise<Found> {
  const label = ['image', 'inspect', '--format', `{{index .Labels "${STAND_IN}"}}`, image];
  const known = await engine.tryPodman(label);
  if (known.code === 0 && known.stdout.trim() !== 'true') return { isStandIn: false };
  const pulled = await engine.tryPodman(['pull', '--quiet', image], PULL_SECONDS);
  if (pulled.code === 0) return { isStandIn: false };
  if (known.code !== 0) await make();
  return { isStandIn: true };
}

function npm(...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Debian with Node, npm and the user `node`, as in the official image `node:<version>-<suite>-slim`. */
async function makeNodeImage(engine: Engine, cache: string, image: string): Promise<void> {
  const [, version, suite] = /:(\d+\.\d+\.\d+)-([a-z]+)-slim$/.exec(image) ?? [];
  if (version === undefined || suite === undefined) {
    throw new Error(`${image} cannot be made here: its tag does not name a version and a suite.`);
  }
  const root = join(cache, `debian-${suite}`);
  // debootstrap moves nothing into place at the end, so an interrupted run must not be taken for a finished one.
  const finished = `${root}.finished`;
  if (!existsSync(finished)) {
    rmSync(root, { recursive: true, force: true });
    await engine.show('debootstrap', '--variant=minbase', suite, root);
    for (const leftover of ['var/cache/apt', 'var/lib/apt/lists']) {
      rmSync(join(root, leftover), { recursive: true, force: true });
    }
    writeFileSync(finished, '');
  }
  const packages = join(cache, `node-${version}`);
  const node = `node-linux-${process.arch}`;
  const install = [
    '--prefix',
    packages,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  npm('install', '--silent', ...install, `${node}@${version}`, `npm@${npm('--version')}`);
  const at = (path: string) => join(root, 'usr/local', path);
  mkdirSync(at('lib/node_modules'), { recursive: true });
  cpSync(join(packages, 'node_modules', node, 'bin/node'), at('bin/node'));
  chmodSync(at('bin/node'), 0o755);
  cpSync(join(packages, 'node_modules/npm'), at('lib/node_modules/npm'), { recursive: true });
  for (const command of ['npm', 'npx']) {
    rmSync(at(`bin/${command}`), { force: true });
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, at(`bin/${command}`));
  }
  const users = join(root, 'etc/passwd');
  if (!readFileSync(users, 'utf8').includes('\nnode:')) {
    execFileSync('chroot', [root, 'groupadd', '--gid', '1000', 'node']);
    const user = [
      '--uid',
      '1000',
      '--gid',
      'node',
      '--create-home',
      '--shell',
      '/bin/bash',
      'node',
    ];
    execFileSync('chroot', [root, 'useradd', ...user]);
  }
  const context = mkdtempSync(join(tmpdir(), 'relay-node-image-'));
  try {
    const file = join(context, 'Containerfile');
    writeFileSync(file, 'FROM scratch\nCOPY . /\nCMD ["node"]\n');
    await engine.show(
      'buildah',
      'bud',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--quiet',
      '--label',
      `${STAND_IN}=true`,
      '--file',
      file,
      '--tag',
      image,
      root,
    );
  } finally {
    rmSync(context, { recursive: true });
  }
}

export const provideNodeImage = (engine: Engine, cache: string, image: string): Promise<Found> =>
  pullOrMake(engine, image, () => makeNodeImage(engine, cache, image));

/** Debian's PostgreSQL 15 on `base`, under the name that compose.yaml gives its database. */
export const provideDatabaseImage = (engine: Engine, image: string, base: string): Promise<Found> =>
  pullOrMake(engine, image, () =>
    engine.show(
      'buildah',
      ...['bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--quiet'],
      ...['--label', `${STAND_IN}=true`, '--build-arg', `BASE=${base}`, '--tag', image],
      join(import.meta.dirname, 'postgres'),
    ),
  );

/** The certificates npm trusts outside, or null where it uses those of Node. */
function npmCertificates(): string | null {
  const file = npm('config', 'get', 'cafile');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const extra = process.env.NODE_EXTRA_CA_CERTS;
  if (extra === undefined) return null;
  // `cafile` replaces the certificates of Node, whereas this variable adds to them.
  return [...rootCertificates, readFileSync(extra, 'utf8')].join('\n');
}

/** Settings for npm inside a build, the same as outside: registry, credentials and certificates. */
function writeNpmSettings(home: string): void {
  const lines = ['userconfig', 'globalconfig']
    .map((name) => npm('config', 'get', name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    // Paths of this machine, which the container does not have.
    .filter((line) => line.trim() !== '' && !/^\s*(cafile|prefix|cache|nodedir)\s*=/.test(line));
  lines.push(`registry=${npm('config', 'get', 'registry')}`);
  const certificates = npmCertificates();
  if (certificates !== null) {
    writeFileSync(join(home, 'certificates.pem'), certificates);
    lines.push('cafile=/root/certificates.pem');
  }
  writeFileSync(join(home, '.npmrc'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/**
 * Builds the Dockerfile in `root` as it is, from base images that are already here. The home of the build's user is
 * mounted: no layer of the image holds npm's settings, and npm's cache is kept for the next build.
 */
export async function buildRelay(engine: Engine, options: BuildOptions): Promise<void> {
  const home = join(options.cache, 'build-home');
  mkdirSync(home, { recursive: true });
  try {
    writeNpmSettings(home);
    await engine.show(
      'buildah',
      ...['bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker'],
      ...['--volume', `${home}:/root`, '--tag', options.image, options.root],
    );
  } finally {
    rmSync(join(home, '.npmrc'), { force: true });
  }
}

interface BuildOptions {
  readonly cache: string;
  readonly root: string;
  readonly image: string;
}
