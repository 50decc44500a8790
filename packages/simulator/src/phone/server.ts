// Serves the phone page of `relay demo`, where a visitor sees the chats of the simulated people and writes as them: a
// page and four calls, with long polling for changes. Invariant: it listens only on 127.0.0.1; only a given persona
// can write; `close` always completes.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnyMessageContent } from '@whiskeysockets/baileys';
import { z } from 'zod';
import { parseBody, RequestError, readRequestText } from '../http.ts';
import type { Network } from '../whatsapp/network.ts';
import {
  type PhonePersona,
  type PreparedFile,
  requireAccount,
  viewPersona,
  watchChanges,
  watchTyping,
} from './personas.ts';

export interface PhonePageOptions {
  readonly network: Network;
  readonly faces: readonly PhonePersona[];
  /** A new one-time address that signs a browser in to the console. */
  readonly signIn: () => Promise<string>;
}

export interface PhonePage {
  /** Has the token in its fragment, which no server sees. */
  readonly url: string;
  close(): Promise<void>;
}

const NewMessage = z.strictObject({
  face: z.string(),
  as: z.string().exactOptional(),
  text: z.string().trim().min(1).max(4_000).exactOptional(),
  /** A prepared file, by its place in the list. */
  file: z.int().min(0).exactOptional(),
});

const CSS = 'text/css; charset=utf-8';
const CONSOLE = '../../../web';

/** The console's own files are copied by the build; in a checkout they are read in place. */
const FILES: Readonly<Record<string, readonly [file: string, type: string, source?: string]>> = {
  '/': ['phone.html', 'text/html; charset=utf-8'],
  '/tokens.css': ['tokens.css', CSS, `${CONSOLE}/src/theme/tokens.css`],
  '/phone.css': ['phone.css', CSS],
  '/phone.js': ['phone.js', 'text/javascript; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml', `${CONSOLE}/public/icon.svg`],
};

export async function startPhonePage(options: PhonePageOptions): Promise<PhonePage> {
  const { network, faces, signIn } = options;
  const token = randomBytes(24).toString('base64url');
  const news = watchChanges(network);
  const typing = watchTyping(network, faces, news.note);

  const faceNamed = (id: string): PhonePersona => {
    const face = faces.find((each) => each.id === id);
    if (face === undefined) throw new RequestError(404, 'This person does not exist.');
    return face;
  };

  async function write(text: string): Promise<object> {
    const { face: id, as, text: words, file: nth } = parseBody(NewMessage, text);
    const face = faceNamed(id);
    const writer =
      as === undefined ? face.writers[0] : face.writers.find(({ phone }) => phone === as);
    if (writer === undefined) throw new RequestError(403, 'This person cannot write in this chat.');
    const file = nth === undefined ? undefined : face.files?.[nth];
    const content = file === undefined ? words : preparedContent(file);
    if (content === undefined) throw new RequestError(400, 'Write a message first.');
    const sent = await requireAccount(network, writer.phone).send(face.chat, content);
    news.note();
    return { id: sent };
  }

  /** A file that the page can show, as an address of its own: the page loads nothing else. */
  async function open(query: URLSearchParams): Promise<object> {
    const face = faceNamed(query.get('face') ?? '');
    const phone = requireAccount(network, face.phone);
    const id = query.get('id') ?? '';
    const message = phone.shown({ with: face.chat }).find((one) => one.id === id);
    const type = message?.media?.mimetype?.split(';', 1)[0] ?? '';
    if (!SHOWN_TYPES.has(type)) throw new RequestError(404, 'This file cannot be shown here.');
    return { url: `data:${type};base64,${(await phone.download(id)).toString('base64')}` };
  }

  async function look(after: number): Promise<object> {
    const revision = await news.since(after);
    return { revision, faces: faces.map((face) => viewPersona(network, face, typing.has(face))) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseOtherOrigins(request, url);
    const { method = 'GET', url: target = '/' } = request;
    const [path = '/', query = ''] = target.split('?');
    const file = method === 'GET' && Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (file !== undefined) {
      const [name, type, source] = file;
      response
        .writeHead(200, { ...PAGE_HEADERS, 'content-type': type })
        .end(pageFile(name, source));
      return;
    }
    requireToken(request, token);
    switch (`${method} ${path}`) {
      case 'GET /api/view': {
        const after = Number(new URLSearchParams(query).get('after') ?? 0);
        return sendJson(response, 200, await look(after));
      }
      case 'GET /api/file':
        return sendJson(response, 200, await open(new URLSearchParams(query)));
      case 'POST /api/messages':
        return sendJson(response, 201, await write(await readRequestText(request)));
      case 'POST /api/console':
        return sendJson(response, 201, { url: await signIn() });
      default:
        throw new RequestError(404, `Not found: ${method} ${path}.`);
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fail(response, error));
  });
  const url = `http://127.0.0.1:${(await listen(server)).port}`;
  return {
    url: `${url}/#${token}`,
    async close() {
      typing.stop();
      news.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What a browser shows or plays and never runs. */
const SHOWN_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'audio/ogg',
  'audio/mpeg',
  'audio/mp4',
]);

function preparedContent({ caption, file, kind }: PreparedFile): AnyMessageContent {
  const bytes = pageFile(file);
  if (kind === 'voice') return { audio: bytes, mimetype: 'audio/ogg; codecs=opus', ptt: true };
  return { image: bytes, mimetype: 'image/jpeg', ...(caption !== undefined && { caption }) };
}

function pageFile(name: string, source = name): Buffer {
  const file = new URL(`./page/${name}`, import.meta.url);
  return readFileSync(existsSync(file) ? file : new URL(source, import.meta.url));
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // Closes the connection, because the unread rest of the body would be parsed as the next request.
  response.setHeader('connection', 'close');
  const known = error instanceof RequestError;
  const sentence = known ? error.message : 'Something went wrong. Try again.';
  sendJson(response, known ? error.status : 500, { error: sentence });
}

// Access to the phone page: only its own page, in a browser that was given the address. A foreign page has another
// origin, DNS rebinding shows in `host`, and neither knows the token in the fragment. Invariant: without the token
// nothing is shown and nothing is written.

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

function refuseOtherOrigins({ headers }: IncomingMessage, url: string): void {
  if (headers.host !== new URL(url).host) {
    throw new RequestError(403, 'Open this page at its own address.');
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== url) {
    throw new RequestError(403, 'Requests from other pages are refused.');
  }
}

function requireToken({ headers }: IncomingMessage, token: string): void {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new RequestError(401, 'Open the phone at the address that `relay demo` printed.');
  }
}
