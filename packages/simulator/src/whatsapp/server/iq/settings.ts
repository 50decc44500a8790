// Answers the small requests of every login: properties, privacy, blocklist, tokens, pings, limits. Invariant: answers
// contain only what Baileys reads; a request changes nothing.
import { randomBytes } from 'node:crypto';
import { ALL_WA_PATCH_NAMES, proto, QueryIds, type WAPatchName } from '@whiskeysockets/baileys';
import { MAX_MEDIA_BYTES, MEDIA_AUTH } from '../../media-hosts.ts';
import { timeLockState } from '../../people/account.ts';
import { attr, children, contentBytes, node, type Stanza } from '../../wire/nodes.ts';
import {
  EMPTY_ANSWER,
  type IqAnswer,
  type IqHandlers,
  type IqRequest,
  ITEM_NOT_FOUND,
} from '../context.ts';

const PRIVACY = {
  readreceipts: 'all',
  last: 'all',
  profile: 'all',
  status: 'contacts',
  online: 'all',
  groupadd: 'all',
  calladd: 'all',
};

function tokens({ child: asked }: IqRequest): IqAnswer {
  const granted = children(asked, 'token').map(({ attrs: { jid, t } }) =>
    node('token', { jid, t, type: 'trusted_contact' }, randomBytes(16)),
  );
  return { content: [node('tokens', {}, granted)] };
}

/** GraphQL over stanzas; only the query for the new-chat lock is answered. */
function graph({ account, child: query }: IqRequest): IqAnswer {
  const asksTimeLock = query.attrs.query_id === QueryIds.REACHOUT_TIMELOCK;
  const data = asksTimeLock
    ? { xwa2_fetch_account_reachout_timelock: timeLockState(account.timeLockedUntil) }
    : {};
  return { content: [node('result', {}, Buffer.from(JSON.stringify({ data })))] };
}

export const settingsHandlers: IqHandlers = {
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
  'w:p/get/ping': () => EMPTY_ANSWER,
  'w:stats/undefined/add': () => EMPTY_ANSWER,
  'w:stats/set/add': () => EMPTY_ANSWER,
  'urn:xmpp:whatsapp:dirty/set/clean': () => EMPTY_ANSWER,
  'w:profile:picture/get/picture': () => ITEM_NOT_FOUND,
  'w:mex/get/query': graph,
  'w:m/set/media_conn': ({ world: deps }) => ({
    content: [
      node('media_conn', { auth: MEDIA_AUTH, ttl: '3600', auth_ttl: '3600', max_buckets: '12' }, [
        node('host', { hostname: deps.media.host, maxContentLengthBytes: String(MAX_MEDIA_BYTES) }),
      ]),
    ],
  }),
};

// Patches of settings and chat flags: stored in order, sent to devices that are behind. Invariant: a patch based on an
// old version is refused, so no change is lost between two devices.

function nameOf(collection: Stanza): WAPatchName {
  const name = ALL_WA_PATCH_NAMES.find((known) => known === attr(collection, 'name'));
  if (!name) throw new Error(`no collection ${attr(collection, 'name')}`);
  return name;
}

async function sync(collection: Stanza, { account, companion }: IqRequest): Promise<Stanza> {
  const name = nameOf(collection);
  const since = Number(collection.attrs.version ?? 0);
  const uploads = children(collection, 'patch');
  const current = account.appState.version(name);
  if (uploads.length > 0 && since !== current) {
    return node('collection', { name, version: String(current), type: 'error' }, [
      node('error', { code: '409', text: 'conflict' }),
    ]);
  }
  for (const upload of uploads) {
    await account.applyPatch(name, proto.SyncdPatch.decode(contentBytes(upload)), companion);
  }
  const missing = uploads.length > 0 ? [] : account.appState.patchesSince(name, since);
  const patches = missing.map((patch) => node('patch', {}, patch));
  const version = String(account.appState.version(name));
  return node(
    'collection',
    { name, version, type: 'result' },
    patches.length > 0 ? [node('patches', {}, patches)] : undefined,
  );
}

export const appStateHandlers: IqHandlers = {
  'w:sync:app:state/set/sync': async (request) => {
    const collections: Stanza[] = [];
    for (const collection of children(request.child, 'collection')) {
      collections.push(await sync(collection, request));
    }
    return { content: [node('sync', {}, collections)] };
  },
};
