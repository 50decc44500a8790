// Search for the owner: names and days as people write them become chats, contacts and instants here, and
// what was found is shown with the lines around it.
import type { FoundMessage, SearchLine } from '@relay/core/api/search';
import { choose, rankOf } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { SearchVerbs } from '@relay/core/ports/search';
import { readDays } from '@relay/core/search/times';
import { eyesOf } from './eyes.ts';
import { findEverybody, type Somebody } from './names.ts';
import type { SaidMessage } from './said.ts';
import { neighbours } from './said.ts';
import type { Search, SearchHit, SearchOptions, SearchWorld } from './search.ts';

export function searchVerbs(world: SearchWorld, search: Search): SearchVerbs {
  return {
    async search({ q, chat, contact, from, to, as, limit }) {
      const hits = await search.search(await eyesOf(world, as), q, {
        limit,
        ...(chat === undefined ? {} : { chat: await chatNamed(world, chat) }),
        ...(contact === undefined ? {} : { contact: await contactNamed(world, contact) }),
        ...(from === undefined ? {} : { from: daysNamed(world, from).from }),
        ...(to === undefined ? {} : { to: daysNamed(world, to).to }),
      });
      const around = await neighbours(world, hits);
      return {
        sure: hits.some(({ sure }) => sure),
        hits: hits.map((hit) => toFound(hit, around.get(hit.number))),
      };
    },
  };
}

async function chatNamed(world: SearchWorld, name: string): Promise<Chat> {
  const { chat } = await somebodyNamed(world, name, ({ chat }) => chat !== null);
  if (chat === null) throw new RelayError('contact_unknown', { who: name });
  return chat;
}

async function contactNamed(world: SearchWorld, name: string): Promise<Contact> {
  if (name === 'me') return 'me';
  const { contact } = await somebodyNamed(world, name, ({ contact }) => contact !== null);
  if (contact === null) throw new RelayError('contact_unknown', { who: name });
  return contact;
}

type Chat = NonNullable<SearchOptions['chat']>;
type Contact = NonNullable<SearchOptions['contact']>;

async function somebodyNamed(
  { db, account }: SearchWorld,
  name: string,
  fits: (somebody: Somebody) => boolean,
): Promise<Somebody> {
  const everybody = (await findEverybody(db, account)).filter(({ id }) => fits(id));
  const matches = everybody
    .flatMap(({ id, names, addresses }) => {
      const rank = rankOf(name, { id: id.chat ?? id.contact ?? '', names, addresses });
      return rank === null ? [] : [{ rank, of: { id, called: names[0] ?? addresses[0] ?? '?' } }];
    })
    .sort((a, b) => a.rank - b.rank);
  const choice = choose(matches);
  if ('found' in choice) return choice.found.id;
  if ('nobody' in choice) throw new RelayError('contact_unknown', { who: name });
  const candidates = choice.ambiguous.slice(0, 8).map(({ called }) => called);
  throw new RelayError('contact_ambiguous', { who: name, candidates: candidates.join(', ') });
}

function daysNamed({ now, zone }: SearchWorld, text: string) {
  const days = readDays(text, now(), zone);
  if (days === null) throw new RelayError('unknown_day', { day: text });
  return days;
}

function toFound(
  hit: SearchHit,
  around: { before: SaidMessage | null; after: SaidMessage | null } | undefined,
): FoundMessage {
  return {
    ...toLine(hit),
    chat_id: hit.chat,
    chat_name: hit.chatName,
    is_group: hit.isGroup,
    source: hit.told ?? 'message',
    contact_id: hit.sender,
    rank: hit.rank,
    by: hit.covers === 0 ? 'meaning' : 'words',
    before: around?.before ? toLine(around.before) : null,
    after: around?.after ? toLine(around.after) : null,
  };
}

const toLine = ({ message, senderName, at, text }: SaidMessage): SearchLine => ({
  message_id: message,
  from_me: senderName === 'me',
  from_name: senderName,
  at: at.toISOString(),
  text,
});
