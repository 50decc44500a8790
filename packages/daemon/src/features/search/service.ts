// Search for the owner: turns names and days as people write them into chats, contacts and instants, and returns hits
// with the messages around them.
import type {
  FoundMessage,
  SearchLine,
  SearchQuery,
  SearchService,
} from '@relay/contract/api/search';
import { RelayError } from '@relay/contract/errors';
import { tokenId } from '@relay/contract/ids';
import { chooseMatch, rankMatch } from '@relay/core/contacts/match';
import { parseDays } from '@relay/core/search/times';
import { toMediaBody } from '../../platform/db/media.ts';
import { readTokenClient } from '../../platform/db/tokens.ts';
import { type NamedMessage, readNeighbours } from './messages.ts';
import type { SearchScope } from './scope.ts';
import type { MessageHit, MessageSearch, SearchDeps, SearchOptions } from './search.ts';
import { findAllParties, type PersonOrGroup } from './sql.ts';

export function createSearchService(deps: SearchDeps, search: MessageSearch): SearchService {
  return {
    async search({ q, chat, contact, from, to, as, limit }) {
      const hits = await search.search(await resolveSearchScope(deps, as), q, {
        limit,
        ...(chat === undefined ? {} : { chat: await chatNamed(deps, chat) }),
        ...(contact === undefined ? {} : { contact: await contactNamed(deps, contact) }),
        ...(from === undefined ? {} : { from: daysNamed(deps, from).from }),
        ...(to === undefined ? {} : { to: daysNamed(deps, to).to }),
      });
      const around = await readNeighbours(deps, hits);
      return {
        sure: hits.some(({ isSure }) => isSure),
        hits: hits.map((hit) => toApiHit(hit, around.get(hit.rowId))),
      };
    },
  };
}

async function chatNamed(deps: SearchDeps, name: string): Promise<Chat> {
  const { chat } = await somebodyNamed(deps, name, ({ chat }) => chat !== null);
  if (chat === null) throw new RelayError('contact_unknown', { who: name });
  return chat;
}

async function contactNamed(deps: SearchDeps, name: string): Promise<Contact> {
  if (name === 'me') return 'me';
  const { contact } = await somebodyNamed(deps, name, ({ contact }) => contact !== null);
  if (contact === null) throw new RelayError('contact_unknown', { who: name });
  return contact;
}

type Chat = NonNullable<SearchOptions['chat']>;
type Contact = NonNullable<SearchOptions['contact']>;

async function somebodyNamed(
  { db, account }: SearchDeps,
  name: string,
  fits: (somebody: PersonOrGroup) => boolean,
): Promise<PersonOrGroup> {
  const everybody = (await findAllParties(db, account)).filter(({ id }) => fits(id));
  const matches = everybody
    .flatMap(({ id, names, addresses }) => {
      const rank = rankMatch(name, { id: id.chat ?? id.contact ?? '', names, addresses });
      return rank === null ? [] : [{ rank, of: { id, called: names[0] ?? addresses[0] ?? '?' } }];
    })
    .sort((a, b) => a.rank - b.rank);
  const choice = chooseMatch(matches);
  if ('found' in choice) return choice.found.id;
  if ('nobody' in choice) throw new RelayError('contact_unknown', { who: name });
  const candidates = choice.ambiguous.slice(0, 8).map(({ called }) => called);
  throw new RelayError('contact_ambiguous', { who: name, candidates: candidates.join(', ') });
}

function daysNamed({ now, zone }: SearchDeps, text: string) {
  const days = parseDays(text, now(), zone);
  if (days === null) throw new RelayError('unknown_day', { day: text });
  return days;
}

function toApiHit(
  hit: MessageHit,
  around: { before: NamedMessage | null; after: NamedMessage | null } | undefined,
): FoundMessage {
  return {
    ...toLine(hit),
    chat_id: hit.chat,
    chat_name: hit.chatName,
    is_group: hit.isGroup,
    source: hit.digestKind ?? 'message',
    contact_id: hit.sender,
    rank: hit.rank,
    by: hit.by ?? 'words',
    before: around?.before ? toLine(around.before) : null,
    after: around?.after ? toLine(around.after) : null,
  };
}

const toLine = ({ message, senderName, at, text, media, content }: NamedMessage): SearchLine => ({
  message_id: message,
  from_me: senderName === 'me',
  from_name: senderName,
  at: at.toISOString(),
  text,
  ...(media ? { media: toMediaBody(media) } : {}),
  ...(content ? { content } : {}),
});

// The scope when the owner searches as another actor sees it. This does not count as a use of the token, and nothing is
// recorded as read by that actor.

async function resolveSearchScope(
  { db, account }: Pick<SearchDeps, 'db' | 'account'>,
  as: SearchQuery['as'],
): Promise<SearchScope> {
  if (as === undefined) return { kind: 'owner' };
  if (as === 'assistant') return { kind: 'assistant' };
  const program = await readTokenClient(db, account, tokenId(as));
  if (program === null) throw new RelayError('token_not_found', { token: as });
  if (!program.scopes.includes('search:read'))
    throw new RelayError('token_searches_nothing', { token: program.name });
  return { kind: 'token', contacts: program.contacts };
}
