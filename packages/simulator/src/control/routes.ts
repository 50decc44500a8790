// All routes of the control API: people, groups and the service itself. Invariant: a route uses only the typed API, so
// both drive the network in the same way.

import { proto } from '@whiskeysockets/baileys';
import type { z } from 'zod';
import { parse, parseBody, RequestError } from '../http.ts';
import type { LoggedStanza } from '../whatsapp/events.ts';
import { mediaPartOf } from '../whatsapp/media.ts';
import type { Network } from '../whatsapp/network.ts';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';
import type { Stanza } from '../whatsapp/wire/nodes.ts';
import { scanQr, typePairingCode } from './linking.ts';
import {
  CountsQuery,
  DisconnectBody,
  ExpireBody,
  FaultsBody,
  GroupChangeBody,
  HabitsBody,
  KnownAsBody,
  MessagesQuery,
  NewAccountBody,
  NewGroupBody,
  NewMessageBody,
  PairCodeBody,
  PowerBody,
  ReadBody,
  ScanBody,
  StanzasQuery,
  TimeLockBody,
} from './schemas.ts';
import { createFinder, requireMessage, sendMessageAs } from './sending.ts';

export function controlRoutes(network: Network): ControlRoutes {
  return { ...peopleRoutes(network), ...groupRoutes(network), ...serviceRoutes(network) };
}

function groupRoutes(network: Network): ControlRoutes {
  const find = createFinder(network);
  return {
    'POST /groups': (ask) => {
      const { members, owner, ...rest } = ask.body(NewGroupBody);
      const people = { owner: find.person(owner), members: members.map(find.person) };
      const { jid, subject } = network.createGroup({ ...rest, ...people });
      return createdResponse({ id: jid, subject });
    },

    'POST /groups/:id/changes': (ask) => {
      const group = find.group(ask.param('id'));
      const { add, by, demote, promote, remove, subject } = ask.body(GroupChangeBody);
      const actor = find.person(by);
      const [added = [], removed = [], raised = [], lowered = []] = [
        add,
        remove,
        promote,
        demote,
      ].map((phones) => phones?.map(find.person));
      for (const person of [actor, ...removed, ...raised, ...lowered]) {
        if (group.members.has(person) || added.includes(person)) continue;
        throw new RequestError(409, `${person.phone} is not in this group.`);
      }
      if (subject !== undefined) group.rename(actor, subject);
      if (added.length > 0) group.add(actor, added);
      if (raised.length > 0) group.setRole(actor, raised, 'admin');
      if (lowered.length > 0) group.setRole(actor, lowered, 'member');
      if (removed.length > 0) group.remove(actor, removed);
      return NO_CONTENT;
    },
  };
}

function serviceRoutes(network: Network): ControlRoutes {
  const find = createFinder(network);
  return {
    'POST /faults': (ask) => {
      network.faults.set(ask.body(FaultsBody));
      return okResponse(network.faults.current);
    },

    'DELETE /faults': () => {
      network.faults.clear();
      return NO_CONTENT;
    },

    'GET /stanzas': (ask) => {
      const { account, direction, tag } = ask.query(StanzasQuery);
      const phone = account === undefined ? undefined : find.person(account).phone;
      const stanzas = network.stanzas.filter(
        (logged) =>
          (phone ?? logged.account) === logged.account &&
          (direction ?? logged.direction) === logged.direction &&
          (tag ?? logged.stanza.tag) === logged.stanza.tag,
      );
      return okResponse({ stanzas: stanzas.map(loggedView) });
    },

    'GET /counts': (ask) => {
      const { account } = ask.query(CountsQuery);
      return okResponse(account === undefined ? network.counts() : find.person(account).counts());
    },
  };
}

// Matches a request to a route and validates its path, query and body. Invariant: a handler sees only values that
// passed its schema.

interface ControlRequest {
  /** The value of a path parameter. */
  param(name: string): string;
  query<T extends z.ZodType>(schema: T): z.output<T>;
  /** A missing body counts as an empty one. */
  body<T extends z.ZodType>(schema: T): z.output<T>;
}

export interface ControlResponse {
  status: number;
  body?: unknown;
}

const okResponse = (body: unknown): ControlResponse => ({ status: 200, body });
const createdResponse = (body: unknown): ControlResponse => ({ status: 201, body });
const NO_CONTENT: ControlResponse = { status: 204 };

type Handler = (ask: ControlRequest) => ControlResponse | Promise<ControlResponse>;

/** `METHOD /path/:parameter/…` → handler. */
type ControlRoutes = Record<string, Handler>;

interface Incoming {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
  text: string;
}

export async function dispatchRequest(
  routes: ControlRoutes,
  incoming: Incoming,
): Promise<ControlResponse> {
  const { method, target, text } = incoming;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const words = wordsOf(path);
  for (const [name, handler] of Object.entries(routes)) {
    const [verb, pattern = ''] = name.split(' ');
    const params = verb === method ? match(pattern.split('/'), words) : undefined;
    if (!params) continue;
    return handler({
      param: (key) => params.get(key) ?? '',
      query: (schema) => parse(schema, Object.fromEntries(new URLSearchParams(query)), 'query'),
      body: (schema) => parseBody(schema, text || '{}'),
    });
  }
  throw new RequestError(404, `Nothing answers ${method} ${path}.`);
}

function wordsOf(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw new RequestError(400, `${path} is not well encoded.`);
  }
}

function match(pattern: string[], words: string[]): Map<string, string> | undefined {
  if (pattern.length !== words.length) return undefined;
  const params = new Map<string, string>();
  for (const [at, expected] of pattern.entries()) {
    const word = words[at] ?? '';
    if (expected.startsWith(':')) params.set(expected.slice(1), word);
    else if (expected !== word) return undefined;
  }
  return params;
}

// The routes of one account: its person, its phone and its linked devices.

function peopleRoutes(network: Network): ControlRoutes {
  const find = createFinder(network);
  const whose = (ask: ControlRequest) => find.person(ask.param('phone'));

  return {
    'POST /accounts': (ask) => {
      const body = ask.body(NewAccountBody);
      if (network.account(body.phone)) {
        throw new RequestError(409, `${body.phone} exists already.`);
      }
      const { lid, name, phone } = network.addAccount(body);
      return createdResponse({ phone, name, lid });
    },

    'POST /accounts/:phone/scan': async (ask) =>
      okResponse(await scanQr(whose(ask), ask.body(ScanBody).qr)),

    'POST /accounts/:phone/pair-code': async (ask) =>
      okResponse(await typePairingCode(whose(ask), ask.body(PairCodeBody).code)),

    // For the virtual authenticator of a browser: the passkey with its private key, and how each linking ended.
    'GET /accounts/:phone/passkey': (ask) => {
      const { passkey, passkeyAttempts, phone } = whose(ask);
      if (!passkey) throw new RequestError(404, `${phone} has no passkey.`);
      const attempts = passkeyAttempts.map(({ code, outcome }) => ({ code, outcome }));
      return okResponse({ ...passkey.export(), attempts });
    },

    'POST /accounts/:phone/messages': async (ask) => {
      const author = whose(ask);
      const { to, ...message } = ask.body(NewMessageBody);
      return createdResponse({ id: await sendMessageAs(network, author, find.chat(to), message) });
    },

    'GET /accounts/:phone/messages': (ask) => {
      const account = whose(ask);
      const { with: other } = ask.query(MessagesQuery);
      const messages = account.messages(other === undefined ? {} : { with: find.chat(other) });
      return okResponse({ messages: messages.map(messageView) });
    },

    // As the phone shows it: reactions, votes, edits and deletions at the message they belong to.
    'GET /accounts/:phone/chat': (ask) => {
      const account = whose(ask);
      const { with: other } = ask.query(MessagesQuery);
      const shown = account.shown(other === undefined ? {} : { with: find.chat(other) });
      return okResponse({ messages: shown });
    },

    'POST /accounts/:phone/messages/:id/expire': (ask) => {
      const account = whose(ask);
      const { id } = requireMessage(account, ask.param('id'));
      account.expireMedia(id, ask.body(ExpireBody).status);
      return NO_CONTENT;
    },

    'GET /accounts/:phone/messages/:id/media': async (ask) => {
      const account = whose(ask);
      const { id, media } = messageView(requireMessage(account, ask.param('id')));
      if (!media) throw new RequestError(404, `Message ${id} holds no media.`);
      return okResponse({ ...media, data: (await account.download(id)).toString('base64') });
    },

    'POST /accounts/:phone/read': (ask) => {
      whose(ask).read(find.chat(ask.body(ReadBody).with));
      return NO_CONTENT;
    },

    'POST /accounts/:phone/habits': (ask) =>
      okResponse(Object.assign(whose(ask).habits, ask.body(HabitsBody))),

    'POST /accounts/:phone/power': (ask) => {
      const account = whose(ask);
      if (ask.body(PowerBody).on) account.switchOn();
      else account.switchOff();
      return NO_CONTENT;
    },

    'POST /accounts/:phone/known-as': (ask) => {
      whose(ask).knownAs = ask.body(KnownAsBody).knownAs;
      return NO_CONTENT;
    },

    'POST /accounts/:phone/lose-sessions': async (ask) => {
      await whose(ask).loseSessions();
      return NO_CONTENT;
    },

    'POST /accounts/:phone/time-lock': (ask) => {
      whose(ask).timeLock(ask.body(TimeLockBody).until ?? undefined);
      return NO_CONTENT;
    },

    'POST /accounts/:phone/disconnect': (ask) => {
      const account = whose(ask);
      const { code, device } = ask.body(DisconnectBody);
      if (device !== undefined && !account.companions.has(device)) {
        throw new RequestError(404, `${account.phone} has no linked device ${device}.`);
      }
      const online = [...account.companions.values()].filter(({ connection }) => connection);
      const devices = online.map(({ id }) => id).filter((id) => (device ?? id) === id);
      account.disconnect(code, device);
      return okResponse({ devices });
    },
  };
}

// Messages and stanzas as JSON. Invariant: bytes are base64, times are ISO 8601, and missing values are absent or null.

function messageView({ content, text, ...message }: SeenMessage) {
  return {
    ...message,
    text: text ?? null,
    media: content ? mediaView(content) : null,
    content: content ? proto.Message.fromObject(content).toJSON() : null,
  };
}

function mediaView(content: proto.IMessage) {
  const part = mediaPartOf(content);
  return part ? { kind: part.kind, mimetype: part.fields.mimetype ?? null } : null;
}

function loggedView({ account, device, stanza, ...logged }: LoggedStanza) {
  return {
    ...logged,
    account: account ?? null,
    device: device ?? null,
    stanza: stanzaView(stanza),
  };
}

interface StanzaView {
  tag: string;
  attrs: Record<string, string>;
  /** Children, text or bytes. */
  content?: StanzaView[] | string | { base64: string };
}

function stanzaView({ attrs, content, tag }: Stanza): StanzaView {
  if (content === undefined) return { tag, attrs };
  if (typeof content === 'string') return { tag, attrs, content };
  if (Array.isArray(content)) return { tag, attrs, content: content.map(stanzaView) };
  return { tag, attrs, content: { base64: Buffer.from(content).toString('base64') } };
}
