// Registers MCP resources on a server: lists, reads, and change notices as far as the transport supports them. The
// server announces only capabilities that it has.
import {
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import { RelayError } from '@relay/contract/errors';
import { callTool } from '../call.ts';
import { type AuthorizedRequest, answerRequest } from '../protocol.ts';
import type { CallContext, ClientDeps } from '../tool.ts';
import type { ChangeNotices } from './change-notices.ts';
import {
  JSON_MIME_TYPE,
  listResourcePage,
  listResourceRows,
  mayReadResource,
  resourceRefOf,
} from './list.ts';
import { parseResourceUri, RESOURCE_TEMPLATES, type ResourceRef, resourceUri } from './uris.ts';

interface ResourceServerContext {
  readonly deps: ClientDeps;
  readonly hash: string;
  readonly era: 'legacy' | 'modern';
  /** Of a lasting connection; null when each request is independent. */
  readonly notices: ChangeNotices | null;
}

const MOST_SUBSCRIBED = 1_000;

export async function registerResources(
  server: Server,
  offered: ResourceServerContext,
): Promise<void> {
  const { deps, hash } = offered;
  server.registerCapabilities({ resources: {} });
  await registerNotices(server, offered);
  server.setRequestHandler('resources/list', ({ params }) =>
    answerRequest(deps, hash, (asking) => listResourcePage(asking, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () =>
    answerRequest(deps, hash, async ({ client }) => ({
      resourceTemplates: RESOURCE_TEMPLATES.filter(({ kind }) => mayReadResource(client, kind)).map(
        ({ kind: _, uri, ...template }) => ({
          uriTemplate: uri,
          ...template,
          mimeType: JSON_MIME_TYPE,
        }),
      ),
    })),
  );
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    answerRequest(deps, hash, (asking) =>
      readResource(asking, hash, params.uri, ctx.mcpReq.signal),
    ),
  );
}

const NOTICE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

async function registerNotices(
  server: Server,
  { hash, era, notices }: ResourceServerContext,
): Promise<void> {
  if (notices === null) {
    // Over HTTP `subscriptions/listen` is a separate stream, which the previous protocol version does not have.
    if (era === 'modern') server.registerCapabilities(NOTICE_CAPABILITIES);
    return;
  }
  // If the event log cannot be followed, everything else still works, and no notices are announced.
  const subscription = await notices.subscribe(hash).catch(() => null);
  if (subscription === null) return;
  server.registerCapabilities(NOTICE_CAPABILITIES);
  const wanted = era === 'modern' ? null : registerSubscriptions(server);
  const unsubscribe = subscription.onNotice((event) => {
    if (event.kind === 'resource_updated' && wanted?.has(event.uri) === false) return;
    // The client may have disconnected already; then this subscription ends in a moment too.
    notify(server, event).catch(() => {});
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}

/** Single subscriptions of the previous protocol version. They do not reveal whether the resource exists either. */
function registerSubscriptions(server: Server): ReadonlySet<string> {
  const wanted = new Set<string>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (parseResourceUri(uri) === null || wanted.size >= MOST_SUBSCRIBED) {
      throw new ResourceNotFoundError(uri);
    }
    wanted.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    wanted.delete(uri);
    return {};
  });
  return wanted;
}

async function notify(server: Server, event: ServerEvent): Promise<void> {
  if (event.kind === 'resource_updated') await server.sendResourceUpdated({ uri: event.uri });
  if (event.kind === 'resources_list_changed') await server.sendResourceListChanged();
}

// Reads resources by address. Messages come from the tool that reads the same data, with its scope and limits, and it
// records the read before it returns them.
// Invariant: a missing resource, a forbidden one and an invalid address are answered in the same way.

const MOST_CHATS = 100;
const MOST_MESSAGES = 50;

export async function readResource(
  asking: AuthorizedRequest,
  hash: string,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const place = parseResourceUri(uri);
  if (place === null || !mayReadResource(asking.client, place.kind))
    throw new ResourceNotFoundError(uri);
  try {
    const said =
      place.kind === 'chats'
        ? await readChatList(asking)
        : await callTool(asking.deps, hash, ...toolFor(place), { ...QUIET_CALL, signal });
    return { contents: [{ uri, mimeType: JSON_MIME_TYPE, text: JSON.stringify(said) }] };
  } catch (error) {
    if (error instanceof RelayError && HIDDEN_STATUSES.includes(error.status)) {
      throw new ResourceNotFoundError(uri);
    }
    throw error;
  }
}

const HIDDEN_STATUSES: readonly number[] = [400, 403, 404, 409];

const QUIET_CALL: Omit<CallContext, 'signal'> = {
  key: null,
  progress() {},
  confirm: async () => 'cannot',
};

function toolFor(place: Exclude<ResourceRef, { kind: 'chats' }>): [tool: string, input: object] {
  switch (place.kind) {
    case 'chat':
      return ['read_messages', { chat_id: place.chat, limit: MOST_MESSAGES }];
    case 'digests':
      return ['get_digest', { group: place.group }];
    case 'day':
      return ['get_digest', { group: place.group, day: place.day }];
    case 'transcript':
      return ['get_conversation', { id: place.conversation, transcript: true }];
  }
}

/** Contains no message text, so listing the chats does not count as reading them. */
async function readChatList({ deps, client }: AuthorizedRequest) {
  const rows = await listResourceRows(deps, client, {
    parts: ['chat'],
    after: null,
    limit: MOST_CHATS,
  });
  return {
    chats: rows.map((row) => ({
      id: row.shown,
      name: row.name,
      uri: resourceUri(resourceRefOf(row)),
      unread_count: row.unread,
      last_message_at: row.at?.toISOString() ?? null,
    })),
  };
}
