// Seed 000's routes of the connection, exactly as specified, and Relay's own routes of the link.

import { Readable } from 'node:stream';
import {
  connectResponseSchema,
  connectSchema,
  disconnectResponseSchema,
  disconnectSchema,
  initResponseSchema,
  initSchema,
  type LinkBody,
  linkPasskeyResponseSchema,
  linkPasskeySchema,
  linkSchema,
  noQrSchema,
  qrSchema,
  type WhatsAppStatusBody,
  whatsappStatusSchema,
} from '@relay/contract/api/whatsapp';
import {
  CONNECTION_FAULTS,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import { errorSentence, RelayError } from '@relay/contract/errors';
import { HOME_OWNER } from '@relay/contract/ids';
import type { Transport, WhatsAppLink } from '@relay/core/ports/transport';
import { callerOf } from '../account-scope.ts';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { Authenticator } from '../guard.ts';
import {
  beginLinking,
  isConnected,
  parseLinkMethod,
  type QrPicture,
  waitForLink,
} from '../linking.ts';
import { createWakeSignal, type OpenStreams } from '../streams.ts';

const tags = ['whatsapp'];

export function whatsappRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp'>,
  picture: QrPicture,
): void {
  app.get(
    '/api/whatsapp/status',
    {
      schema: {
        operationId: 'getWhatsAppStatus',
        summary: 'Get the connection status and the linked number',
        tags,
        response: { 200: whatsappStatusSchema, ...errorResponses() },
      },
    },
    async () => publicStatus(deps.whatsapp.link),
  );

  app.get(
    '/api/whatsapp/link',
    {
      schema: {
        operationId: 'getLink',
        summary: 'Get the link: state, sentence, QR or pairing code, and health',
        tags,
        response: { 200: linkSchema, ...errorResponses() },
      },
    },
    async (_request, reply) =>
      reply.header('cache-control', 'no-store').send(toLinkBody(deps.whatsapp.link)),
  );

  app.post(
    '/api/whatsapp/connect',
    {
      schema: {
        operationId: 'connectWhatsApp',
        summary: 'Start connecting; the streams report the progress',
        description:
          'Without a body, an account that is not linked gets a QR code; with `phone`, it gets a code to type on that phone.',
        tags,
        body: connectSchema,
        response: { 200: connectResponseSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body }) => {
      const method = parseLinkMethod(body?.phone);
      if (isConnected(deps.whatsapp)) {
        const { phoneNumber } = publicStatus(deps.whatsapp.link);
        return { status: 'already_connected' as const, phoneNumber };
      }
      await beginLinking(deps.whatsapp, method);
      return { status: 'connecting' as const };
    },
  );

  app.post(
    '/api/whatsapp/passkey',
    {
      schema: {
        operationId: 'answerLinkPasskey',
        summary: 'Answer WhatsApp’s request for the passkey of the account that is being linked',
        description:
          'WhatsApp asks some accounts for the passkey of their WhatsApp account; `GET /api/whatsapp/link` then has the request in `passkey`. Only a page of WhatsApp Web can use that passkey: sign there, and send the result here, once. The state of the link shows what follows.',
        tags,
        body: linkPasskeySchema,
        response: { 200: linkPasskeyResponseSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async ({ body }) => {
      deps.whatsapp.answerPasskey(body);
      return { status: 'sent' as const };
    },
  );

  app.get(
    '/api/whatsapp/qr',
    {
      schema: {
        operationId: 'getQr',
        summary: 'Get the QR code as a PNG data URL',
        tags,
        response: { 200: qrSchema, ...errorResponses(), 404: noQrSchema },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      const { qr } = deps.whatsapp.link;
      // The seed specifies this error body without a code.
      if (qr === null) return reply.code(404).send({ error: errorSentence('no_qr_code') });
      return reply.send({ qr: await picture(qr) });
    },
  );

  app.post(
    '/api/whatsapp/disconnect',
    {
      schema: {
        operationId: 'disconnectWhatsApp',
        summary: 'Disconnect; with `clearSession` also unlink this device',
        tags,
        body: disconnectSchema.nullish(),
        response: { 200: disconnectResponseSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body }) => {
      await deps.whatsapp.disconnect({ forget: body?.clearSession ?? false });
      return { status: 'disconnected' as const };
    },
  );
}

// Streams of the link's changes: seed 000's stream of QR codes, and Relay's own with every state and its sentence.

interface LinkStreamDeps {
  readonly streams: OpenStreams;
  readonly authenticator: Authenticator;
  readonly limits: HttpLimits;
}

export function whatsappStreamRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp' | 'log'>,
  picture: QrPicture,
  streamDeps: LinkStreamDeps,
): void {
  const declare = (path: string, operationId: string, words: RouteText, frames: () => LinkFrames) =>
    app.get(
      path,
      {
        schema: {
          operationId,
          ...words,
          tags: ['whatsapp'],
          response: {
            200: { content: { 'text/event-stream': { schema: streamSchema } } },
            ...errorResponses(),
          },
        },
      },
      async ({ principal }, reply) => {
        if (principal === null) throw new RelayError('unauthorized');
        const stream = Readable.from(
          streamLink({
            transport: deps.whatsapp,
            frames: frames(),
            signal: streamDeps.streams.open(principal, reply.raw),
            allowed: () => streamDeps.authenticator.holds(principal),
            limits: streamDeps.limits,
          }),
          { objectMode: false },
        );
        // A reconnecting client gets the current state first, so a broken stream loses nothing.
        stream.on('error', (error) => deps.log.warn('link stream failed', { error }));
        return reply
          .type('text/event-stream')
          .header('cache-control', 'no-cache')
          .header('connection', 'keep-alive')
          .send(stream);
      },
    );

  declare(
    '/api/whatsapp/qr/stream',
    'streamQr',
    {
      summary: 'Follow status and QR codes, as Server-Sent Events',
      description:
        '`status` {status, phoneNumber} immediately and on every change; `qr` {qr} immediately if there is a code, and for each new one; `connected` {phoneNumber} when the link is established.',
    },
    () => qrFrames(picture),
  );
  declare(
    '/api/whatsapp/link/stream',
    'streamLink',
    {
      summary: 'Follow the state of the link, as Server-Sent Events',
      description:
        '`link` in the form of `GET /api/whatsapp/link`, immediately and on every change.',
    },
    fullLinkFrames,
  );
}

interface RouteText {
  readonly summary: string;
  readonly description: string;
}

// Changes of the link as SSE frames, pulled by the response.
// Invariant: the current state comes first, then every change in order; the number of changes held for a slow client is
// bounded.

/**
 * Returns the frames for one change, for a reader that has seen all earlier ones; empty when there is nothing to send.
 */
type LinkFrames = (link: WhatsAppLink) => Promise<string> | string;

interface LinkStream {
  readonly transport: Pick<Transport, 'link' | 'subscribe'>;
  readonly frames: LinkFrames;
  readonly signal: AbortSignal;
  /** Whether the client may still read; checked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<HttpLimits, 'pollMs' | 'linkKeepAliveMs' | 'streamBatch'>;
}

async function* streamLink(stream: LinkStream): AsyncGenerator<string, void, void> {
  const { transport, signal, limits } = stream;
  const bell = createWakeSignal();
  const waiting: WhatsAppLink[] = [transport.link];
  const unsubscribe = transport.subscribe((event) => {
    if (event.type !== 'link') return;
    waiting.push(event.link);
    if (waiting.length > limits.streamBatch) waiting.shift();
    bell.wake();
  });
  try {
    let kept = performance.now();
    let checked = kept;
    while (!signal.aborted) {
      for (let link = waiting.shift(); link !== undefined; link = waiting.shift()) {
        const text = await stream.frames(link);
        if (text !== '') yield text;
      }
      const quiet = kept + limits.linkKeepAliveMs - performance.now();
      await bell.wait(Math.max(0, Math.min(limits.pollMs, quiet)), signal);
      const now = performance.now();
      if (now - checked >= limits.pollMs) {
        checked = now;
        if (!(await stream.allowed())) return;
      }
      if (!signal.aborted && now - kept >= limits.linkKeepAliveMs) {
        kept = now;
        yield ': keep-alive\n\n';
      }
    }
  } finally {
    unsubscribe();
  }
}

/**
 * Seed 000's three events. `connected` is sent only at that moment; a client that connects later learns it from
 * `status`.
 */
function qrFrames(picture: QrPicture): LinkFrames {
  let seen: { readonly status: string; readonly qr: string | null } | null = null;
  return async (link) => {
    const before = seen;
    const body = publicStatus(link);
    seen = { status: body.status, qr: link.qr };
    let text = '';
    if (body.status !== before?.status) text += frame('status', body);
    if (link.qr !== null && link.qr !== before?.qr) {
      text += frame('qr', { qr: await picture(link.qr) });
    }
    if (before !== null && body.status === 'connected' && before.status !== 'connected') {
      text += frame('connected', { phoneNumber: body.phoneNumber });
    }
    return text;
  };
}

/** Relay's own stream: the whole link, whenever something visible has changed. */
function fullLinkFrames(): LinkFrames {
  let seen = '';
  return (link) => {
    const { health, ...visible } = toLinkBody(link);
    const now = JSON.stringify(visible);
    if (now === seen) return '';
    seen = now;
    return frame('link', { ...visible, health });
  };
}

const frame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

// The transport's link as the API shows it. Dates are converted to text only here.

/** Seed 000's view: it contains the number only while connected. */
function publicStatus({ state, phone }: Pick<WhatsAppLink, 'state' | 'phone'>): WhatsAppStatusBody {
  const status = whatsappStatusOf(state);
  return { status, phoneNumber: status === 'connected' ? phone : null };
}

function toLinkBody(link: WhatsAppLink): LinkBody {
  const { health } = link;
  return {
    state: link.state,
    status: whatsappStatusOf(link.state),
    sentence: linkSentence(link),
    since: link.since.toISOString(),
    phone: link.phone,
    name: link.name,
    qr: link.qr,
    qrExpiresAt: iso(link.qrExpiresAt),
    pairingCode: link.pairingCode,
    passkey:
      link.passkey === null
        ? null
        : { ...link.passkey, expiresAt: link.passkey.expiresAt.toISOString() },
    retryAt: iso(link.retryAt),
    replaying: link.replaying,
    timeLockedUntil: iso(link.timeLockedUntil),
    fault: link.fault === null ? null : { kind: link.fault, ...CONNECTION_FAULTS[link.fault] },
    health: {
      lastStanzaAt: iso(health.lastStanzaAt),
      pingMs: health.pingMs,
      flaps: health.flaps,
      received: health.received,
      undecryptable: health.undecryptable,
      restarts: health.restarts,
    },
  };
}

/** The state's sentence, with the number of messages still to be synced. */
function linkSentence({ state, replaying }: WhatsAppLink): string {
  if (state !== 'syncing' || replaying === null || replaying === 0)
    return connectionSentence(state);
  return `Connected. Relay is still receiving messages: ${replaying} remaining.`;
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

// Seed 003's `/init`: stores the model's key and provider and the web search's key, then starts linking.

export function initRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp' | 'settings'>,
  limits: HttpLimits,
): void {
  app.post(
    '/api/init',
    {
      schema: {
        operationId: 'init',
        summary: 'Configure the model and start linking WhatsApp',
        description:
          'Returns when there is a QR code to scan, or none will come: then `whatsapp_qr_displayed` is false and `GET /api/whatsapp/link` gives the reason. The model is asked one short question first; if it does not answer, nothing is saved or started, unless `verify` is false.',
        tags: ['daemon'],
        body: initSchema,
        response: { 200: initResponseSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async (request) => {
      const { phone, ...settings } = request.body ?? {};
      // The model is that of the home.
      if (Object.keys(settings).length > 0 && callerOf(request).id !== HOME_OWNER) {
        throw new RelayError('home_only');
      }
      const method = parseLinkMethod(phone);
      if (Object.keys(settings).length > 0) await deps.settings.change(settings);
      if (isConnected(deps.whatsapp)) return { whatsapp_qr_displayed: false };
      const before = deps.whatsapp.link.since.getTime();
      await beginLinking(deps.whatsapp, method);
      const decided = ({ state, since, pairingCode }: WhatsAppLink) =>
        pairingCode !== null ||
        (since.getTime() !== before && whatsappStatusOf(state) !== 'connecting');
      const link = await waitForLink(
        deps.whatsapp,
        (now) => now.qr !== null || decided(now),
        limits.initMs,
      );
      return { whatsapp_qr_displayed: link.qr !== null };
    },
  );
}
