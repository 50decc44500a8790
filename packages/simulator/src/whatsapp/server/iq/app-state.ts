// Patches of settings and chat flags: stored in order, handed to who is behind.
// Invariant: a patch made on an old version is refused, so no change is lost between two devices.
import { ALL_WA_PATCH_NAMES, proto, type WAPatchName } from '@whiskeysockets/baileys';
import { attr, children, contentOf, node, type Stanza } from '../../wire/nodes.ts';
import type { Handlers, Request } from './request.ts';

function nameOf(collection: Stanza): WAPatchName {
  const name = ALL_WA_PATCH_NAMES.find((known) => known === attr(collection, 'name'));
  if (!name) throw new Error(`no collection ${attr(collection, 'name')}`);
  return name;
}

async function sync(collection: Stanza, { account, companion }: Request): Promise<Stanza> {
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
    await account.applyPatch(name, proto.SyncdPatch.decode(contentOf(upload)), companion);
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

export const appStateHandlers: Handlers = {
  'w:sync:app:state/set/sync': async (request) => {
    const collections: Stanza[] = [];
    for (const collection of children(request.child, 'collection')) {
      collections.push(await sync(collection, request));
    }
    return { content: [node('sync', {}, collections)] };
  },
};
