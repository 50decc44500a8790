// The command palette: pages, people, conversations, search and global actions. Loaded when first opened.
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconKeyboard,
  IconLogout,
  IconMessagePlus,
  IconMoon,
  IconSearch,
  IconSend,
  IconSendOff,
  IconSun,
  IconTargetArrow,
  IconUser,
  IconUserPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useLiveStream } from '../data/live-stream.ts';
import { nounKey } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { formatContact } from '../parts/format.ts';
import { flushTypingInto, onPaletteClosed } from './early-typing.ts';
import { useHold } from './hold.tsx';
import { openKeysList } from './keys.tsx';
import { PAGE_GROUPS } from './navigation-entries.ts';

const PALETTE_ICON = { size: 19, stroke: 1.6 };
const PLACEHOLDER = 'Find a page, a person or a conversation, or do something';

export function Palette() {
  const [typed, setTyped] = useState('');
  const { history } = useRouter();
  const found = usePaletteMatches(typed);
  const acts = useCommands();

  const go = (href: string) => () => history.push(href);
  const words = typed.trim();
  const pages = PAGE_GROUPS.flatMap((group) => group.pages).map(({ path, label, question, icon }) =>
    action(path, label, icon, go(path), { description: question }),
  );
  // The daemon matched more than what is shown, so the typed text is added to make it match.
  const known = (icon: TablerIcon) => (one: PaletteMatch) =>
    action(one.id, one.label, icon, go(one.href), { ...one, keywords: typed });
  const search = action(
    'search',
    `Search for “${words}”`,
    IconSearch,
    go(`/search?q=${encodeURIComponent(words)}`),
    { description: 'In everything that was said', keywords: typed },
  );
  return (
    <Spotlight
      query={typed}
      onQueryChange={setTyped}
      actions={[
        { group: 'Go to', actions: pages },
        { group: 'People', actions: found.people.map(known(IconUser)) },
        { group: 'Conversations', actions: found.conversations.map(known(IconTargetArrow)) },
        { group: 'Do', actions: words === '' ? acts : [...acts, search] },
      ]}
      transitionProps={{ duration: 0 }}
      shortcut={null}
      onSpotlightClose={onPaletteClosed}
      nothingFound="Nothing by that name."
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: PLACEHOLDER,
        'aria-label': 'Find or do',
        onFocus: ({ currentTarget }) => flushTypingInto(currentTarget),
      }}
    />
  );
}

const action = (
  id: string,
  label: string,
  Icon: TablerIcon,
  onClick: () => void,
  more: Pick<SpotlightActionData, 'description' | 'keywords' | 'disabled'> = {},
): SpotlightActionData => ({
  id,
  label,
  leftSection: <Icon {...PALETTE_ICON} aria-hidden />,
  onClick,
  ...(more.description === undefined ? {} : { description: more.description }),
  ...(more.keywords === undefined ? {} : { keywords: more.keywords }),
  ...(more.disabled === undefined ? {} : { disabled: more.disabled }),
});

/** Available everywhere. */
function useCommands(): SpotlightActionData[] {
  const { history } = useRouter();
  const live = useLiveStream();
  const { isHeld, isOff, askFirst } = useHold();
  const { setColorScheme } = useMantineColorScheme();
  return [
    isHeld
      ? action('hold', 'Let messages leave', IconSend, askFirst, {
          description: 'You hold all sending',
          keywords: 'release',
          disabled: isOff,
        })
      : action('hold', 'Hold all sending', IconSendOff, askFirst, {
          description: 'Nothing leaves until you let it go',
          disabled: isOff,
        }),
    action(
      'new',
      'New conversation',
      IconMessagePlus,
      () => history.push('/conversations?new=blank'),
      {
        description: 'An agent writes to somebody for you',
      },
    ),
    action('allow', 'Allow someone', IconUserPlus, () => history.push('/people'), {
      description: 'Who may be read, who may be answered',
      keywords: 'grant open',
    }),
    action('dark', 'Use dark colours', IconMoon, () => setColorScheme('dark')),
    action('light', 'Use light colours', IconSun, () => setColorScheme('light')),
    action('keys', 'Keys', IconKeyboard, openKeysList, {
      description: 'What each letter does here, and the switch for all of them',
    }),
    action('sign-out', 'Sign out of this browser', IconLogout, () => {
      void relay.post('/api/logout').then(live.markSignedOut);
    }),
  ];
}

/** Works before the first render too: then it renders open. */
export const openPalette = spotlight.open;

// Finds people and conversations by name, by asking the daemon once something is typed. Loaded with the palette.

const SHORTEST_QUERY = 2;
const MOST_MATCHES = 5;

interface PaletteMatch {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Its address. */
  readonly href: string;
}

function usePaletteMatches(typed: string): {
  readonly people: readonly PaletteMatch[];
  readonly conversations: readonly PaletteMatch[];
} {
  const [words] = useDebouncedValue(typed.trim(), 150);
  const enabled = words.length >= SHORTEST_QUERY;
  const people = useQuery({
    queryKey: nounKey('contacts', 'named', words),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', {
        signal,
        query: { query: words, kind: 'person', limit: MOST_MATCHES },
      }),
    placeholderData: keepPreviousData,
    enabled,
  });
  const conversations = useQuery({
    queryKey: nounKey('instances', 'named', words),
    queryFn: ({ signal }) =>
      relay.get('/api/instances', { signal, query: { words, limit: MOST_MATCHES } }),
    placeholderData: keepPreviousData,
    enabled,
  });
  if (!enabled) return { people: [], conversations: [] };
  return {
    people: (people.data?.contacts ?? []).map(({ id, name, phone_number, jid }) => {
      const address = phone_number === null ? (jid ?? '') : formatContact(phone_number);
      return {
        id,
        label: name ?? address,
        description: name === null ? 'A person' : address,
        href: `/people?who=${encodeURIComponent(id)}`,
      };
    }),
    conversations: (conversations.data ?? []).map(
      ({ id, objective, contact_name, target_contact }) => ({
        id,
        label: objective,
        description: `A conversation with ${contact_name ?? formatContact(target_contact)}`,
        href: `/conversations/${encodeURIComponent(id)}`,
      }),
    ),
  };
}
