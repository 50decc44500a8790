// Completes package-lock.json after `npm install` from a registry that does not serve packages of other platforms: npm
// leaves those out and `npm ci` then rejects the lock file. Each is added with the exact version that its parent names;
// a platform that needs it fetches it from its own registry.
//   node scripts/complete-lock.ts [testing/engine]
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

interface Platform {
  os?: string[];
  cpu: string[];
  libc?: string[];
}

const SYSTEMS = 'aix android darwin freebsd linux netbsd openbsd openharmony sunos win32'.split(
  ' ',
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  windows: 'win32',
  win: 'win32',
  mac: 'darwin',
};

/** `@x/cli-linux-arm64-musl` → linux, arm64, musl. The architecture is the word after the system. */
function platform(name: string): Platform | undefined {
  const words = name.split(/[/-]/).map((word) => OTHER_NAMES[word] ?? word);
  if (words.includes('wasm32')) return { cpu: ['wasm32'] };
  const at = words.findIndex((word) => SYSTEMS.includes(word));
  const [os, cpu, ...rest] = words.slice(at);
  if (at < 0 || !os || !cpu) return undefined;
  const libc = rest.some((word) => word.startsWith('musl')) ? { libc: ['musl'] } : {};
  return { os: [os], cpu: [cpu], ...libc };
}

const folder = resolve(import.meta.dirname, '..', process.argv[2] ?? '.');
const path = join(folder, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> };
const added: string[] = [];

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const where = platform(name);
    if (place in lock.packages || !/^\d/.test(version) || !where) continue;
    lock.packages[place] = { version, ...where, ...(parent.dev && { dev: true }), optional: true };
    added.push(`${name}@${version}`);
  }
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  added.length > 0 ? `Added ${added.length}:\n${added.join('\n')}` : 'Nothing was missing.',
);
