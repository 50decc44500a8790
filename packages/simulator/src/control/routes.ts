// Every route of the control API: what a person, a phone or the service does, asked for over HTTP.
// Invariant: a route asks the typed API and nothing else, so both drive the network alike.
import type { Network } from '../whatsapp/network.ts';
import { readQr } from '../whatsapp/pairing/qr.ts';
import type { Account } from '../whatsapp/people/account.ts';
import type { Chat } from '../whatsapp/people/model.ts';
import { seenBy } from './camera.ts';
import { RequestError } from './http.ts';
import type { Answer, Ask, Routes } from './router.ts';
import {
  CountsQuery,
  Disconnect,
  MessagesQuery,
  NewAccount,
  NewFaults,
  NewGroup,
  NewMessage,
  PairCode,
  Power,
  Read,
  Scan,
  StanzasQuery,
  TimeLock,
} from './schemas.ts';
import { send } from './sending.ts';
import { loggedView, messageView } from './views.ts';

const shown = (body: unknown): Answer => ({ status: 200, body });
const made = (body: unknown): Answer => ({ status: 201, body });
const done: Answer = { status: 204 };

export function routesOf(network: Network): Routes {
  function person(phone: string): Account {
    const found = network.account(phone);
    if (!found) throw new RequestError(404, `Nobody on this network is ${phone}.`);
    return found;
  }

  function chatOf(name: string): Chat {
    if (!name.includes('@')) return person(name);
    const found = network.group(name);
    if (!found) throw new RequestError(404, `No group on this network is ${name}.`);
    return found;
  }

  const whose = (ask: Ask) => person(ask.param('phone'));

  return {
    'POST /accounts': (ask) => {
      const body = ask.body(NewAccount);
      if (network.account(body.phone)) {
        throw new RequestError(409, `${body.phone} exists already.`);
      }
      const { lid, name, phone } = network.addAccount(body);
      return made({ phone, name, lid });
    },

    'POST /accounts/:phone/scan': async (ask) => {
      const account = whose(ask);
      const qr = whatsappCode(seenBy(ask.body(Scan).qr));
      return shown(await orConflict(account.scan(qr)));
    },

    'POST /accounts/:phone/pair-code': async (ask) => {
      const account = whose(ask);
      return shown(await orConflict(account.pairCode(ask.body(PairCode).code)));
    },

    'POST /accounts/:phone/messages': async (ask) => {
      const author = whose(ask);
      const { to, ...message } = ask.body(NewMessage);
      return made({ id: await send(network, author, chatOf(to), message) });
    },

    'GET /accounts/:phone/messages': (ask) => {
      const account = whose(ask);
      const { with: other } = ask.query(MessagesQuery);
      const messages = account.messages(other === undefined ? {} : { with: chatOf(other) });
      return shown({ messages: messages.map(messageView) });
    },

    'POST /accounts/:phone/read': (ask) => {
      whose(ask).read(chatOf(ask.body(Read).with));
      return done;
    },

    'POST /accounts/:phone/power': (ask) => {
      const account = whose(ask);
      if (ask.body(Power).on) account.switchOn();
      else account.switchOff();
      return done;
    },

    'POST /accounts/:phone/time-lock': (ask) => {
      whose(ask).timeLock(ask.body(TimeLock).until ?? undefined);
      return done;
    },

    'POST /accounts/:phone/disconnect': (ask) => {
      const account = whose(ask);
      const { code, device } = ask.body(Disconnect);
      if (device !== undefined && !account.companions.has(device)) {
        throw new RequestError(404, `${account.phone} has no linked device ${device}.`);
      }
      const online = [...account.companions.values()].filter(({ link }) => link);
      const devices = online.map(({ id }) => id).filter((id) => (device ?? id) === id);
      account.disconnect(code, device);
      return shown({ devices });
    },

    'POST /groups': (ask) => {
      const { members, owner, ...rest } = ask.body(NewGroup);
      const people = members.map(person);
      const { jid, subject } = network.createGroup({
        ...rest,
        owner: person(owner),
        members: people,
      });
      return made({ id: jid, subject });
    },

    'POST /faults': (ask) => {
      network.faults.set(ask.body(NewFaults));
      return shown(network.faults.current);
    },

    'DELETE /faults': () => {
      network.faults.clear();
      return done;
    },

    'GET /stanzas': (ask) => {
      const { account, direction, tag } = ask.query(StanzasQuery);
      const phone = account === undefined ? undefined : person(account).phone;
      const stanzas = network.stanzas.filter(
        (logged) =>
          (phone ?? logged.account) === logged.account &&
          (direction ?? logged.direction) === logged.direction &&
          (tag ?? logged.stanza.tag) === logged.stanza.tag,
      );
      return shown({ stanzas: stanzas.map(loggedView) });
    },

    'GET /counts': (ask) => {
      const { account } = ask.query(CountsQuery);
      return shown(account === undefined ? network.counts() : person(account).counts());
    },
  };
}

function whatsappCode(text: string): string {
  try {
    readQr(text);
  } catch (error) {
    throw new RequestError(400, `qr: ${sentence(error)}`);
  }
  return text;
}

/** Linking fails for what the companion does or has ceased to do, not for how it was asked. */
async function orConflict<T>(linking: Promise<T>): Promise<T> {
  try {
    return await linking;
  } catch (error) {
    throw new RequestError(409, `Not linked: ${sentence(error)}`);
  }
}

function sentence(error: unknown): string {
  return `${error instanceof Error ? error.message : String(error)}.`;
}
