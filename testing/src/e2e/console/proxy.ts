// A Caddy that serves a daemon over TLS with a certificate of its own authority, configured by what `relay remote` prints.
// Invariant: after `stop`, no process and no file is left.
import { spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { removeFolder } from '../../remove-folder.ts';
import { eventually } from '../gateway.ts';
import { findCaddy } from './chromium.ts';

/** A name that only the tests' browser finds. */
const NAME = 'relay.test';

export interface TlsProxy {
  readonly origin: string;
  /** Starts with the lines of a Caddyfile. */
  start(caddyfile: readonly string[]): Promise<void>;
  /** With these options, a Chromium finds the name and trusts the certificate, as a phone trusts a public one. */
  trust(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function openProxy(): Promise<TlsProxy> {
  const program = findCaddy();
  if (program === undefined) throw new Error('There is no Caddy; set CADDY to one.');
  const folder = await mkdtemp(join(tmpdir(), 'relay caddy '));
  const [port, plainPort] = [await freePort(), await freePort()];
  // The server sends it with each certificate, unlike the root above it.
  const authority = join(folder, 'caddy/pki/authorities/local/intermediate.crt');
  let ended = async () => {};
  return {
    origin: `https://${NAME}:${port}`,
    async trust() {
      const certificate = new X509Certificate(await readFile(authority));
      const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
      const pin = createHash('sha256').update(key).digest('base64');
      return [
        `--host-resolver-rules=MAP ${NAME} 127.0.0.1`,
        `--ignore-certificate-errors-spki-list=${pin}`,
      ];
    },
    async start(caddyfile) {
      const options = ['admin off', 'skip_install_trust', 'local_certs', `http_port ${plainPort}`];
      const file = join(folder, 'Caddyfile');
      const lines = ['{', ...options.map((line) => `\t${line}`), '}', ...caddyfile, ''];
      await writeFile(file, lines.join('\n'));
      const caddy = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder },
      });
      const gone = once(caddy, 'exit');
      ended = async () => {
        caddy.kill('SIGTERM');
        await gone;
      };
      await eventually('the authority of Caddy', () =>
        readFile(authority).then(
          () => true,
          () => undefined,
        ),
      );
    },
    async stop() {
      await ended();
      await removeFolder(folder);
    },
  };
}
