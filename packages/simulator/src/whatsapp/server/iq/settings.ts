// The small questions of every login: properties, privacy, blocklist, tokens, pings, limits.
// Invariant: answers are what Baileys reads and nothing more; asking changes nothing.
import { randomBytes } from 'node:crypto';
import { QueryIds } from '@whiskeysockets/baileys';
import { timeLockState } from '../../people/time-lock.ts';
import { children, node } from '../../wire/nodes.ts';
import { type Answer, type Handlers, NOT_FOUND, NOTHING, type Request } from './request.ts';

const PRIVACY = {
  readreceipts: 'all',
  last: 'all',
  profile: 'all',
  status: 'contacts',
  online: 'all',
  groupadd: 'all',
  calladd: 'all',
};

function tokens({ child: asked }: Request): Answer {
  const granted = children(asked, 'token').map(({ attrs: { jid, t } }) =>
    node('token', { jid, t, type: 'trusted_contact' }, randomBytes(16)),
  );
  return { content: [node('tokens', {}, granted)] };
}

/** GraphQL over stanzas; the only question answered is whether new chats are locked. */
function graph({ account, child: query }: Request): Answer {
  const asksTimeLock = query.attrs.query_id === QueryIds.REACHOUT_TIMELOCK;
  const data = asksTimeLock
    ? { xwa2_fetch_account_reachout_timelock: timeLockState(account.timeLockedUntil) }
    : {};
  return { content: [node('result', {}, Buffer.from(JSON.stringify({ data })))] };
}

export const settingsHandlers: Handlers = {
  'abt/get/props': () => ({
    content: [
      node('props', { ab_key: 'sim', refresh: '86400', protocol: '1', hash: 'sim' }, [
        node('prop', { config_code: '10518', config_value: 'true' }),
      ]),
    ],
  }),
  'blocklist/get/': () => ({ content: [node('list', {}, [])] }),
  'privacy/get/privacy': () => ({
    content: [
      node(
        'privacy',
        {},
        Object.entries(PRIVACY).map(([name, value]) => node('category', { name, value })),
      ),
    ],
  }),
  'privacy/set/tokens': tokens,
  'w:p/get/ping': () => NOTHING,
  'w:stats/undefined/add': () => NOTHING,
  'w:stats/set/add': () => NOTHING,
  'urn:xmpp:whatsapp:dirty/set/clean': () => NOTHING,
  'w:profile:picture/get/picture': () => NOT_FOUND,
  'w:mex/get/query': graph,
  'w:m/set/media_conn': ({ world }) => ({
    content: [
      node('media_conn', { auth: 'sim', ttl: '3600', auth_ttl: '3600', max_buckets: '12' }, [
        node('host', { hostname: world.media.host, maxContentLengthBytes: String(100 << 20) }),
      ]),
    ],
  }),
};
