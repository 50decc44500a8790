// Connects to WhatsApp through an account's own proxy: HTTP (CONNECT) or SOCKS5, with or without a password. There is no
// way around the proxy: if it does not answer, there is no connection.
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

const TIMEOUT_MS = 20_000;

interface Destination {
  readonly host: string;
  readonly port: number;
}

export interface ProxyServer {
  readonly url: string;
  /** Gives the address to connect to for the proxy's host, or rejects; by default the system resolves it. */
  resolve?(host: string): Promise<string>;
}

type OnSocket = (error: Error | null, socket?: Duplex) => void;

/** An agent for a WebSocket at this address. */
export function createProxyAgent(proxy: ProxyServer, to: URL): HttpAgent {
  return to.protocol === 'wss:' ? new SecureProxyAgent(proxy) : new PlainProxyAgent(proxy);
}

const destinationOf = ({ host, port }: ClientRequestArgs, fallback: number): Destination => ({
  host: host ?? '',
  port: Number(port ?? fallback),
});

class PlainProxyAgent extends HttpAgent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer) {
    super();
    this.#proxy = proxy;
  }

  override createConnection(options: ClientRequestArgs, done: OnSocket): undefined {
    openTunnel(this.#proxy, destinationOf(options, 80)).then((socket) => done(null, socket), done);
  }
}

class SecureProxyAgent extends HttpsAgent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer) {
    super();
    this.#proxy = proxy;
  }

  override createConnection(options: ClientRequestArgs, done: OnSocket): undefined {
    const to = destinationOf(options, 443);
    openTunnel(this.#proxy, to).then(
      (socket) => done(null, connectTls({ socket, servername: to.host })),
      done,
    );
  }
}

/** A connection to the destination through the proxy. */
async function openTunnel({ url, resolve }: ProxyServer, to: Destination): Promise<Socket> {
  const proxy = new URL(url);
  const isSocks = proxy.protocol === 'socks5:';
  const host = (await resolve?.(proxy.hostname)) ?? proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectTcp({ host, port: Number(proxy.port || (isSocks ? 1080 : 80)) });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the proxy did not answer')));
  const reader = new ByteReader(socket);
  try {
    await reader.connected();
    await (isSocks ? greetSocks(socket, reader, proxy, to) : greetHttp(socket, reader, proxy, to));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.setTimeout(0);
  socket.removeAllListeners('timeout');
  reader.release();
  return socket;
}

const userOf = ({ username, password }: URL) =>
  username === ''
    ? null
    : { name: decodeURIComponent(username), password: decodeURIComponent(password) };

async function greetHttp(
  socket: Socket,
  reader: ByteReader,
  proxy: URL,
  { host, port }: Destination,
): Promise<void> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const user = userOf(proxy);
  const authorization =
    user === null
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const head = await reader.until('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status !== '200') throw new Error(`the proxy refused with ${status ?? 'no status'}`);
}

const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const BY_PASSWORD = 2;
const CONNECT = 1;
const DOMAIN = 3;
const ADDRESS_LENGTHS: Readonly<Record<number, number>> = { 1: 4, 4: 16 };

/** RFC 1928, with the user name and password of RFC 1929. The proxy resolves the name. */
async function greetSocks(
  socket: Socket,
  reader: ByteReader,
  proxy: URL,
  { host, port }: Destination,
): Promise<void> {
  const user = userOf(proxy);
  const wanted = user === null ? NO_AUTHENTICATION : BY_PASSWORD;
  socket.write(Buffer.from([SOCKS_VERSION, 1, wanted]));
  const [, method] = await reader.bytes(2);
  if (method !== wanted) throw new Error('the proxy accepts no such sign-in');
  if (user !== null) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(user.name), counted(user.password)]));
    const [, refused] = await reader.bytes(2);
    if (refused !== 0) throw new Error('the proxy refused the user name and password');
  }
  const target = Buffer.from([port >> 8, port & 255]);
  const request = [Buffer.from([SOCKS_VERSION, CONNECT, 0, DOMAIN]), counted(host), target];
  socket.write(Buffer.concat(request));
  const [, failure, , kind = 0] = await reader.bytes(4);
  if (failure !== 0) throw new Error(`the proxy could not connect (${failure})`);
  const length = ADDRESS_LENGTHS[kind] ?? (await reader.bytes(1))[0] ?? 0;
  await reader.bytes(length + 2);
}

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('too long for a SOCKS5 proxy');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};

/** Reads the proxy's answers, and leaves what follows to the user of the connection. */
class ByteReader {
  readonly #socket: Socket;
  #held = Buffer.alloc(0);
  #failure: Error | null = null;
  #wake: () => void = () => {};
  readonly #onData = (bytes: Buffer) => {
    this.#held = Buffer.concat([this.#held, bytes]);
    this.#wake();
  };
  readonly #onEnd = (error?: unknown) => {
    this.#failure ??= error instanceof Error ? error : new Error('the proxy closed the connection');
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#onEnd);
    socket.on('close', this.#onEnd);
    socket.on('connect', () => this.#wake());
  }

  connected(): Promise<void> {
    return this.#when(() => !this.#socket.connecting);
  }

  async bytes(count: number): Promise<Buffer> {
    await this.#when(() => this.#held.length >= count);
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async until(end: string): Promise<string> {
    await this.#when(() => this.#held.includes(end));
    return (await this.bytes(this.#held.indexOf(end) + end.length)).toString('latin1');
  }

  async #when(isReady: () => boolean): Promise<void> {
    while (!isReady() || this.#failure !== null) {
      if (this.#failure !== null) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  release(): void {
    this.#socket.off('data', this.#onData);
    this.#socket.off('error', this.#onEnd);
    this.#socket.off('close', this.#onEnd);
    // Both HTTP and TLS begin with the client: nothing arrives before the next reader listens.
    if (this.#held.length > 0) this.#socket.unshift(this.#held);
  }
}
