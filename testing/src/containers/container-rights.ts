// Checks of a container from inside: the rights of its processes, and what they can write.
import type { Container } from './container.ts';

/** Prints one JSON object for each process: name, user, capabilities and whether it can gain privileges. */
const PROCESSES = `
const { readdirSync, readFileSync } = require('node:fs');
const all = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((pid) => {
  try {
    const lines = readFileSync('/proc/' + pid + '/status', 'utf8').split('\\n');
    return [Object.fromEntries(lines.map((line) => line.split(':').map((part) => part.trim())))];
  } catch { return []; }
});
console.log(JSON.stringify(all));`;

/** Prints the outermost paths that this user can write. /proc, /sys and /dev belong to the engine. */
const WRITABLE = `
const { accessSync, constants, readdirSync } = require('node:fs');
const found = [];
const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
const walk = (folder) => {
  let entries;
  try { entries = readdirSync(folder, { withFileTypes: true }); } catch { return; }
  for (const entry of entries) {
    const path = (folder === '/' ? '' : folder) + '/' + entry.name;
    if (['/proc', '/sys', '/dev'].includes(path) || entry.isSymbolicLink()) continue;
    if (isWritable(path)) found.push(path);
    else if (entry.isDirectory()) walk(path);
  }
};
if (isWritable('/')) found.push('/'); else walk('/');
console.log(JSON.stringify(found.sort()));`;

const run = async (container: Container, script: string) =>
  JSON.parse(await container.exec('node', '-e', script));

/** Throws if a process is root, holds a capability or can gain one. Returns how many there are. */
export async function expectNoRights(container: Container): Promise<string> {
  const processes: Record<string, string>[] = await run(container, PROCESSES);
  for (const { Name, Uid = '0', CapEff, CapPrm, CapBnd, NoNewPrivs } of processes) {
    if (Uid.split(/\s+/).includes('0')) throw new Error(`${Name} runs as root.`);
    if ([CapEff, CapPrm, CapBnd].some((set) => Number.parseInt(set ?? '', 16) !== 0)) {
      throw new Error(`${Name} has capabilities: ${CapEff} ${CapPrm} ${CapBnd}`);
    }
    if (NoNewPrivs !== '1') throw new Error(`${Name} can gain privileges.`);
  }
  return `${processes.length} processes`;
}

export async function expectWritable(
  container: Container,
  expected: readonly string[],
): Promise<void> {
  const found: string[] = await run(container, WRITABLE);
  if (found.join() !== expected.toSorted().join()) {
    throw new Error(`Writable are ${found.join(', ')}, and not ${expected.join(', ')}.`);
  }
}

/** Throws unless the kernel limits the container's processes and threads to `limit`. Returns how many there are. */
export async function expectPidsLimit(container: Container, limit: number): Promise<string> {
  // Version 1 of cgroups, then version 2.
  const read = async (file: string) => {
    const paths = [`/sys/fs/cgroup/pids/${file}`, `/sys/fs/cgroup/${file}`].join(' ');
    return container.exec('sh', '-c', `cat ${paths} 2>/dev/null || true`);
  };
  const max = await read('pids.max');
  if (max !== String(limit)) throw new Error(`The limit is "${max}", and not ${limit}.`);
  return `${await read('pids.current')} of ${max} processes and threads`;
}
