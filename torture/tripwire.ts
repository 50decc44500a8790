// Preloaded into the daemon: records every address that it tries to reach, by name or number, before the network is
// asked. It shows what a message caused, whether or not a server answers there.
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const file = process.env.RELAY_TRIPWIRE;

interface Target {
  readonly host?: string;
  readonly port?: number | string;
  readonly path?: string | null;
}

if (file !== undefined) {
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    // Node passes its own normalised list, or the caller's arguments.
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const { host, path, port } = (typeof first === 'object' ? first : { port: first }) as Target;
    const isFile = Boolean(path) || String(port).startsWith('/');
    appendFileSync(file, `${isFile ? 'a socket file' : `${host ?? 'localhost'}:${port}`}\n`);
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
}
