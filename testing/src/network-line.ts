// A network line to a server on this machine. Cutting it swallows all bytes in both directions, like a pulled cable:
// neither side notices.
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

export interface NetworkLine {
  readonly port: number;
  /** From now on nothing passes, in neither direction; connections stay open. */
  cut(): void;
  /** From now on connections end and new ones are refused, as when the server has stopped. */
  refuse(): void;
  /** New connections pass again. Those that were cut never recover, as after a change of addresses. */
  mend(): void;
  close(): Promise<void>;
}

/** `target` is a port of this machine, or the path of a socket. */
async function openNetworkLine(target: number | string): Promise<NetworkLine> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    follow(near);
    if (isCut) return;
    const far = follow(
      typeof target === 'number' ? createConnection(target, '127.0.0.1') : createConnection(target),
    );
    const dead = () => cutOff.has(near);
    near.on('data', (data) => void (dead() || far.write(data)));
    far.on('data', (data) => void (dead() || near.write(data)));
    near.on('close', () => void (dead() || far.destroy()));
    far.on('close', () => void (dead() || near.destroy()));
    pairs.add(near);
    near.on('close', () => pairs.delete(near));
  });
  const pairs = new Set<Socket>();
  const cutOff = new WeakSet<Socket>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut() {
      isCut = true;
      for (const near of pairs) cutOff.add(near);
    },
    refuse() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
      if (!server.listening) server.listen(port, '127.0.0.1');
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

export interface DatabaseLine extends NetworkLine {
  readonly url: string;
}

/** A line to the server of a database, and the address of the database over it. */
export async function openDatabaseLine(url: string): Promise<DatabaseLine> {
  const address = new URL(url);
  const folder = address.searchParams.get('host');
  const port = address.searchParams.get('port') ?? address.port;
  const line = await openNetworkLine(
    folder === null ? Number(port) : join(folder, `.s.PGSQL.${port}`),
  );
  address.search = '';
  address.host = `127.0.0.1:${line.port}`;
  return { ...line, url: address.href };
}
