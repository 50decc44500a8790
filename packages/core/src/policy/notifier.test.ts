import { describe } from 'vitest';
import {
  conversation,
  create,
  FAMILY,
  facts,
  granting,
  markRead,
  notifier,
  OWN_CHAT,
  owner,
  PLUMBERS_CHAT,
  quote,
  send,
  widen,
} from './testing/cast.ts';
import { decisions } from './testing/decisions.ts';

const toOwner = send({ chat: OWN_CHAT });
const own = facts({ chat: { kind: 'own', id: OWN_CHAT } });

describe('the notifier', () => {
  decisions([
    ['writes to the owner', notifier, toOwner, own, 'own_chat'],
    ['also the first time', notifier, { ...toOwner, firstContact: true } as never, own, 'own_chat'],
    ['not under a hold', notifier, toOwner, { ...own, hold: true }, 'hold'],
    ['to nobody else, whatever is granted', notifier, send(), granting(), 'notifier_only_tells'],
    [
      'to no group',
      notifier,
      send({ chat: FAMILY }),
      facts({ chat: { kind: 'group', id: FAMILY, observed: false } }),
      'notifier_only_tells',
    ],
    ['and does nothing else', notifier, markRead, granting(), 'notifier_only_tells'],
    ['nor grants anything', notifier, widen, granting(), 'notifier_only_tells'],
  ]);
});

describe('private text', () => {
  const quoting = facts({ conversation: quote, quotesPrivate: true });
  decisions([
    ['of a conversation are asked about', conversation, send(), quoting, 'quotes_private'],
    [
      'leave with the owner’s approval of exactly them',
      conversation,
      send({ hash: 'shown' }),
      { ...quoting, approval: { hash: 'shown', spent: false } },
      'approved',
    ],
    [
      'and not with one to others',
      conversation,
      send({ hash: 'shown ' }),
      { ...quoting, approval: { hash: 'shown', spent: false } },
      'approval_differs',
    ],
    ['are the owner’s to tell', owner, send(), quoting, 'owner'],
    [
      'never lift a refusal',
      conversation,
      send(),
      { ...quoting, conversation: { ...quote, ended: true } },
      'conversation_ended',
    ],
  ]);
});

describe('a conversation with oneself', () => {
  decisions([
    [
      'is none',
      owner,
      { ...create, chat: PLUMBERS_CHAT } as never,
      facts({ chat: { kind: 'own', id: PLUMBERS_CHAT } }),
      'yourself',
    ],
  ]);
});
