// The pages for the navigation and the palette, in groups. The paths come from core, so a page that does not exist
// cannot be named.
import type { ConsolePage } from '@relay/core/console/pages';
import {
  IconBook2,
  IconCalendarTime,
  IconClipboardCheck,
  IconHome,
  IconMessages,
  IconPlugConnected,
  IconSearch,
  IconSettings,
  IconSparkles,
  IconTargetArrow,
  IconUserScan,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';

export interface PageEntry {
  readonly path: ConsolePage;
  readonly label: string;
  /** For narrow places. */
  readonly short?: string;
  readonly icon: TablerIcon;
  /** The question that the page answers, for the palette. */
  readonly question: string;
}

interface PageGroup {
  readonly title: string | null;
  readonly pages: readonly PageEntry[];
}

const HOME: PageEntry = {
  path: '/',
  label: 'Home',
  icon: IconHome,
  question: 'All well? What needs me?',
};
const APPROVALS: PageEntry = {
  path: '/approvals',
  label: 'Approvals',
  icon: IconClipboardCheck,
  question: 'What waits for my yes?',
};
const CONVERSATIONS: PageEntry = {
  path: '/conversations',
  label: 'Conversations',
  icon: IconTargetArrow,
  question: 'Whose turn is it?',
};
const PEOPLE: PageEntry = {
  path: '/people',
  label: 'People & grants',
  short: 'People',
  icon: IconUserScan,
  question: 'Who may be read, who may be answered?',
};

export const PAGE_GROUPS: readonly PageGroup[] = [
  { title: null, pages: [HOME, APPROVALS] },
  {
    title: 'Talk',
    pages: [
      CONVERSATIONS,
      { path: '/chats', label: 'Chats', icon: IconMessages, question: 'What was said?' },
      {
        path: '/assistant',
        label: 'Assistant',
        icon: IconSparkles,
        question: 'Ask your assistant',
      },
      {
        path: '/schedules',
        label: 'Schedules',
        icon: IconCalendarTime,
        question: 'What will happen when?',
      },
    ],
  },
  {
    title: 'Who',
    pages: [
      PEOPLE,
      {
        path: '/groups',
        label: 'Groups & digests',
        icon: IconUsersGroup,
        question: 'What did I miss?',
      },
    ],
  },
  {
    title: 'Look back',
    pages: [
      { path: '/search', label: 'Search', icon: IconSearch, question: 'Where was that?' },
      { path: '/ledger', label: 'Ledger', icon: IconBook2, question: 'Why, or why not?' },
    ],
  },
  {
    title: 'Set up',
    pages: [
      {
        path: '/tools',
        label: 'Tools & connections',
        icon: IconPlugConnected,
        question: 'Is it linked?',
      },
      {
        path: '/settings',
        label: 'Settings',
        icon: IconSettings,
        question: 'Pacing, retention, backup',
      },
    ],
  },
];

/** The tab bar of a phone; the rest is behind More. */
export const TAB_PAGES: readonly PageEntry[] = [HOME, APPROVALS, CONVERSATIONS, PEOPLE];
