// The routes of one account: its person, its phone, its linked devices.
// Invariant: a route asks the typed API and nothing else, so both drive the network alike.

import { RequestError } from '../http.ts';
import type { Network } from '../whatsapp/network.ts';
import { finderOf } from './finding.ts';
import { scan, typeCode } from './linking.ts';
import { NewMessage } from './message-schema.ts';
import { type Ask, done, made, type Routes, shown } from './router.ts';
import {
  Disconnect,
  Habits,
  MessagesQuery,
  NewAccount,
  NewKnownAs,
  PairCode,
  Power,
  Read,
  Scan,
  TimeLock,
} from './schemas.ts';
import { seen, send } from './sending.ts';
import { messageView } from './views.ts';

export function peopleRoutes(network: Network): Routes {
  const find = finderOf(network);
  const whose = (ask: Ask) => find.person(ask.param('phone'));

  return {
    'POST /accounts': (ask) => {
      const body = ask.body(NewAccount);
      if (network.account(body.phone)) {
        throw new RequestError(409, `${body.phone} exists already.`);
      }
      const { lid, name, phone } = network.addAccount(body);
      return made({ phone, name, lid });
    },

    'POST /accounts/:phone/scan': async (ask) => shown(await scan(whose(ask), ask.body(Scan).qr)),

    'POST /accounts/:phone/pair-code': async (ask) =>
      shown(await typeCode(whose(ask), ask.body(PairCode).code)),

    'POST /accounts/:phone/messages': async (ask) => {
      const author = whose(ask);
      const { to, ...message } = ask.body(NewMessage);
      return made({ id: await send(network, author, find.chat(to), message) });
    },

    'GET /accounts/:phone/messages': (ask) => {
      const account = whose(ask);
      const { with: other } = ask.query(MessagesQuery);
      const messages = account.messages(other === undefined ? {} : { with: find.chat(other) });
      return shown({ messages: messages.map(messageView) });
    },

    'GET /accounts/:phone/messages/:id/media': async (ask) => {
      const account = whose(ask);
      const { id, media } = messageView(seen(account, ask.param('id')));
      if (!media) throw new RequestError(404, `Message ${id} holds no media.`);
      return shown({ ...media, data: (await account.download(id)).toString('base64') });
    },

    'POST /accounts/:phone/read': (ask) => {
      whose(ask).read(find.chat(ask.body(Read).with));
      return done;
    },

    'POST /accounts/:phone/habits': (ask) =>
      shown(Object.assign(whose(ask).habits, ask.body(Habits))),

    'POST /accounts/:phone/power': (ask) => {
      const account = whose(ask);
      if (ask.body(Power).on) account.switchOn();
      else account.switchOff();
      return done;
    },

    'POST /accounts/:phone/known-as': (ask) => {
      whose(ask).knownAs = ask.body(NewKnownAs).knownAs;
      return done;
    },

    'POST /accounts/:phone/lose-sessions': async (ask) => {
      await whose(ask).loseSessions();
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
  };
}
