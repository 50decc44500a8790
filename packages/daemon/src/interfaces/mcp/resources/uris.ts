// Parses and formats the addresses of resources: `relay://` and the ids that the tools return. Every address has one
// canonical spelling; the spelling that results from filling in a template is accepted too.
import type { Scope } from '@relay/contract/policy/scopes';

export type ResourceRef =
  | { readonly kind: 'chats' }
  | { readonly kind: 'chat'; readonly chat: string }
  | { readonly kind: 'digests'; readonly group: string }
  | { readonly kind: 'day'; readonly group: string; readonly day: string }
  | { readonly kind: 'transcript'; readonly conversation: string };

type ResourceKind = ResourceRef['kind'];

/** The one scope that a resource requires, as with tools. */
export const RESOURCE_SCOPES: Readonly<Record<ResourceKind, Scope>> = {
  chats: 'messages:read',
  chat: 'messages:read',
  digests: 'digests:read',
  day: 'digests:read',
  transcript: 'conversations:read',
};

const SCHEME = 'relay://';
const LONGEST = 400;

/**
 * WhatsApp's address of a contact or a group, or an id of Relay. Names are not accepted, because an address must not
 * change.
 */
const CHAT =
  /^[\d-]{1,40}@(s\.whatsapp\.net|lid|g\.us)$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function parseResourceUri(uri: string): ResourceRef | null {
  if (uri.length > LONGEST || !uri.startsWith(SCHEME)) return null;
  const parts = decoded(uri.slice(SCHEME.length).split('/'));
  if (parts === null) return null;
  const [root, id = '', last = ''] = parts;
  switch (`${root} ${parts.length}`) {
    case 'chats 1':
      return { kind: 'chats' };
    case 'chats 2':
      return CHAT.test(id) ? { kind: 'chat', chat: id } : null;
    case 'digests 2':
      return CHAT.test(id) ? { kind: 'digests', group: id } : null;
    case 'digests 3':
      return CHAT.test(id) && DAY.test(last) ? { kind: 'day', group: id, day: last } : null;
    case 'conversations 3':
      return ID.test(id) && last === 'transcript' ? { kind: 'transcript', conversation: id } : null;
    default:
      return null;
  }
}

export const resourceUri = (place: ResourceRef): string =>
  `${SCHEME}${partsOf(place)
    .map((part) => encodeURIComponent(part).replaceAll('%40', '@'))
    .join('/')}`;

/** All spellings of an address: a notice uses the one that was subscribed to. */
export const resourceUriSpellings = (place: ResourceRef): readonly string[] => [
  ...new Set([resourceUri(place), `${SCHEME}${partsOf(place).map(encodeURIComponent).join('/')}`]),
];

function partsOf(place: ResourceRef): readonly string[] {
  switch (place.kind) {
    case 'chats':
      return ['chats'];
    case 'chat':
      return ['chats', place.chat];
    case 'digests':
      return ['digests', place.group];
    case 'day':
      return ['digests', place.group, place.day];
    case 'transcript':
      return ['conversations', place.conversation, 'transcript'];
  }
}

function decoded(parts: readonly string[]): readonly string[] | null {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

interface Template {
  readonly kind: ResourceKind;
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

export const CHATS_RESOURCE = {
  name: 'chats',
  title: 'Chats',
  description: 'The chats that this client may read, newest first, without messages.',
};

export const RESOURCE_TEMPLATES: readonly Template[] = [
  {
    kind: 'chat',
    uri: 'relay://chats/{chat}',
    name: 'chat',
    title: 'Messages of a chat',
    description: 'The last messages of one chat, oldest first. {chat} is an id from get_chats.',
  },
  {
    kind: 'digests',
    uri: 'relay://digests/{group}',
    name: 'digests',
    title: 'Digests of a group',
    description:
      'The latest daily and hourly digests of an observed group. {group} is an id from get_chats.',
  },
  {
    kind: 'day',
    uri: 'relay://digests/{group}/{day}',
    name: 'digests_of_day',
    title: 'Digests of a group for one day',
    description: 'The digests of an observed group for one day. {day} has the form YYYY-MM-DD.',
  },
  {
    kind: 'transcript',
    uri: 'relay://conversations/{id}/transcript',
    name: 'transcript',
    title: 'Transcript of a conversation',
    description: 'The messages of a conversation so far. {id} is an id from list_conversations.',
  },
];
