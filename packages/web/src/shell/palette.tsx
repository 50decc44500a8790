// Find or do: every page, people and conversations by name, words to search for, and what can be done from anywhere.
// Loaded when it is first opened.
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
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
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { relay } from '../data/relay.ts';
import { useLive } from '../data/use-live.ts';
import { fieldIsGone, handOver } from './early-typing.ts';
import { useHold } from './hold.tsx';
import { openKeys } from './keys.tsx';
import { PAGE_GROUPS } from './pages.ts';
import { type Found, useFound } from './palette-found.ts';

const ICON = { size: 19, stroke: 1.6 };
const PLACEHOLDER = 'Find a page, a person or a conversation, or do something';

export function Palette() {
  const [typed, setTyped] = useState('');
  const { history } = useRouter();
  const found = useFound(typed);
  const acts = useActs();

  const go = (href: string) => () => history.push(href);
  const words = typed.trim();
  const pages = PAGE_GROUPS.flatMap((group) => group.pages).map(({ path, label, question, icon }) =>
    action(path, label, icon, go(path), { description: question }),
  );
  // The daemon found them by more than what is shown, so whatever was typed fits.
  const known = (icon: TablerIcon) => (one: Found) =>
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
      onSpotlightClose={fieldIsGone}
      nothingFound="Nothing by that name."
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: PLACEHOLDER,
        'aria-label': 'Find or do',
        onFocus: ({ currentTarget }) => handOver(currentTarget),
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
  leftSection: <Icon {...ICON} aria-hidden />,
  onClick,
  ...(more.description === undefined ? {} : { description: more.description }),
  ...(more.keywords === undefined ? {} : { keywords: more.keywords }),
  ...(more.disabled === undefined ? {} : { disabled: more.disabled }),
});

/** From anywhere. */
function useActs(): SpotlightActionData[] {
  const { history } = useRouter();
  const live = useLive();
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
    action('keys', 'Keys', IconKeyboard, openKeys, {
      description: 'What each letter does here, and the switch for all of them',
    }),
    action('sign-out', 'Sign out of this browser', IconLogout, () => {
      void relay.post('/api/logout').then(live.signedOut);
    }),
  ];
}

/** Also before it is rendered for the first time: then it comes open. */
export const openPalette = spotlight.open;
