// The command palette: pages, people, conversations, search and global actions. Loaded when first opened.

import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { addressInCurrentAccount } from '../data/account.ts';
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
import { useEffect, useState } from 'react';
import { useLiveStream } from '../data/live-stream.ts';
import { nounKey } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { t } from '../i18n.ts';
import { formatContact } from '../parts/format.ts';
import { flushTypingInto, onPaletteClosed } from './early-typing.ts';
import { useHold } from './hold.tsx';
import { openKeysList } from './keys.tsx';
import { PAGE_GROUPS } from './navigation-entries.ts';

const PALETTE_ICON = { size: 19, stroke: 1.6 };

const [store, palette] = createSpotlight();

export function Palette() {
  const [typed, setTyped] = useState('');
  const { history } = useRouter();
  const found = usePaletteMatches(typed);
  const commands = useCommands();
  const matches = [...found.people, ...found.conversations];
  useFirstSelected(matches.map(({ id }) => id).join());

  const go = (href: string) => () => history.push(addressInCurrentAccount(href));
  const query = typed.trim();
  const pages = PAGE_GROUPS.flatMap((group) => group.pages).map(
    ({ path, label, description, icon }) =>
      action(path, t(label), icon, go(path), { description: t(description) }),
  );
  // The daemon matched more than what is shown, so the typed text is added to make it match.
  const known = (icon: TablerIcon) => (one: PaletteMatch) =>
    action(one.id, one.label, icon, go(one.href), { ...one, keywords: typed });
  const search = action(
    'search',
    t('common.palette.search', { query }),
    IconSearch,
    go(`/search?q=${encodeURIComponent(query)}`),
    { description: t('common.palette.search.text'), keywords: typed },
  );
  return (
    <Spotlight
      store={store}
      query={typed}
      onQueryChange={setTyped}
      actions={[
        { group: t('common.palette.pages'), actions: pages },
        // Before what the daemon finds later: nothing moves under the finger on Enter.
        { group: t('common.palette.actions'), actions: commands },
        { group: t('common.palette.people'), actions: found.people.map(known(IconUser)) },
        {
          group: t('common.palette.conversations'),
          actions: found.conversations.map(known(IconTargetArrow)),
        },
        { group: t('common.page.search'), actions: query === '' ? [] : [search] },
      ]}
      transitionProps={{ duration: 0 }}
      shortcut={null}
      onSpotlightClose={onPaletteClosed}
      nothingFound={t('common.palette.empty')}
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: t('common.palette.placeholder'),
        'aria-label': t('common.palette.label'),
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
      ? action('hold', t('common.hold.end'), IconSend, askFirst, {
          description: t('common.hold.end.hint'),
          keywords: t('common.palette.resume.keywords'),
          disabled: isOff,
        })
      : action('hold', t('common.hold.start'), IconSendOff, askFirst, {
          description: t('common.hold.start.hint'),
          keywords: t('common.palette.hold.keywords'),
          disabled: isOff,
        }),
    action(
      'new',
      t('common.palette.newConversation'),
      IconMessagePlus,
      () => history.push(addressInCurrentAccount('/conversations?new=blank')),
      { description: t('common.palette.newConversation.text') },
    ),
    action(
      'grant',
      t('common.palette.grant'),
      IconUserPlus,
      () => history.push(addressInCurrentAccount('/people')),
      {
        description: t('common.palette.grant.text'),
        keywords: t('common.palette.grant.keywords'),
      },
    ),
    action('dark', t('common.theme.dark'), IconMoon, () => setColorScheme('dark')),
    action('light', t('common.theme.light'), IconSun, () => setColorScheme('light')),
    action('keys', t('common.palette.keys'), IconKeyboard, openKeysList, {
      description: t('common.palette.keys.text'),
    }),
    action('sign-out', t('common.palette.signOut'), IconLogout, () => {
      void relay.post('/api/logout').then(live.markSignedOut);
    }),
  ];
}

/** Works before the first render too: then it renders open. */
export const openPalette = palette.open;

/** Selects what the daemon found above the search, the only line until then, unless the owner has moved on. */
function useFirstSelected(matches: string): void {
  useEffect(() => {
    const { listId, selected } = store.getState();
    if (matches === '' || selected > 0) return;
    const lines = document.getElementById(listId)?.querySelectorAll<HTMLElement>('[data-action]');
    for (const [index, line] of [...(lines ?? [])].entries()) {
      if (index === 0) line.dataset.selected = 'true';
      else delete line.dataset.selected;
    }
  }, [matches]);
}

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
        description: name === null ? t('common.palette.person') : address,
        href: `/people?who=${encodeURIComponent(id)}`,
      };
    }),
    conversations: (conversations.data ?? []).map(
      ({ id, objective, contact_name, target_contact }) => ({
        id,
        label: objective,
        description: t('common.palette.conversation', {
          name: contact_name ?? formatContact(target_contact),
        }),
        href: `/conversations/${encodeURIComponent(id)}`,
      }),
    ),
  };
}
