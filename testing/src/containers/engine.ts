// Runs buildah and podman with separate storage and settings, and installs them with apt where they are missing.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The Debian package of each command. podman itself calls runc, iptables and catatonit. */
const PACKAGES = {
  buildah: 'buildah',
  podman: 'podman',
  runc: 'runc',
  debootstrap: 'debootstrap',
  iptables: 'iptables',
  catatonit: 'catatonit',
} as const;

/** State of running containers. Podman expects it to be gone after a reboot, so it is never in the cache. */
const RUN_DIR = '/run/relay-containers';

function isInstalled(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns why the tools cannot be used here, or null once all are installed. */
export function installTools(): string | null {
  if (process.platform !== 'linux') return 'The container checks need Linux.';
  if (process.getuid?.() !== 0) return 'The container checks need root. Run them with sudo.';
  const missing = Object.entries(PACKAGES).filter(([command]) => !isInstalled(command));
  if (missing.length === 0) return null;
  const names = missing.map(([, name]) => name);
  if (!isInstalled('apt-get')) {
    return `Install ${names.join(', ')} and run this again: there is no apt-get here to do it.`;
  }
  console.log(`Installing ${names.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync('apt-get', ['-qq', 'update'], { env, stdio: 'inherit' });
    const install = ['-qq', 'install', '--yes', '--no-install-recommends', ...names];
    execFileSync('apt-get', install, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return null;
  } catch {
    return `apt-get could not install ${names.join(', ')}.`;
  }
}

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Engine {
  /** Runs podman and returns its output. Throws unless it exits with 0. */
  podman(...args: readonly string[]): Promise<string>;
  /** Runs podman and returns its exit code with the output. Ends it after `seconds`. */
  tryPodman(args: readonly string[], seconds?: number): Promise<Output>;
  /** Runs a command with the same storage, at low priority, and shows its output. */
  show(command: string, ...args: readonly string[]): Promise<void>;
}

export function createEngine(cache: string): Engine {
  mkdirSync(cache, { recursive: true });
  const storage = join(cache, 'storage.conf');
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${cache}/storage"\nrunroot = "${RUN_DIR}/storage"\n`,
  );
  const containers = join(cache, 'containers.conf');
  // crun fails where cgroups v1 and v2 are mixed, and there may be no systemd to manage cgroups or collect events.
  // The limits are lower than podman's own, which a machine with lower hard limits would refuse.
  writeFileSync(
    containers,
    [
      '[containers]',
      'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]',
      'log_driver = "k8s-file"',
      '[engine]',
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      `tmp_dir = "${RUN_DIR}/libpod"`,
      '',
    ].join('\n'),
  );
  const env = {
    ...process.env,
    CONTAINERS_STORAGE_CONF: storage,
    CONTAINERS_CONF: containers,
    // Podman would run health checks with a timer of systemd. The checks call `podman healthcheck run` instead.
    DISABLE_HC_SYSTEMD: 'true',
  };
  const tryPodman = async (args: readonly string[], seconds = 120): Promise<Output> => {
    try {
      const limits = { timeout: seconds * 1_000, maxBuffer: 64 << 20 };
      const done = await promisify(execFile)('podman', args, { env, ...limits });
      return { code: 0, ...done };
    } catch (error) {
      const { code, stdout, stderr } = error as { code?: number; stdout: string; stderr: string };
      return { code: code ?? 1, stdout, stderr };
    }
  };
  return {
    tryPodman,
    async podman(...args) {
      const { code, stdout, stderr } = await tryPodman(args);
      if (code !== 0) throw new Error(`podman ${args[0]} exited with ${code}: ${stderr.trim()}`);
      return stdout.trim();
    },
    show(command, ...args) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const child = spawn('nice', ['-n', '10', command, ...args], { env, stdio: 'inherit' });
      child.once('error', reject);
      child.once('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`${command} exited with ${code}`));
      });
      return promise;
    },
  };
}
