// The pages for the navigation and the palette, in groups. The paths come from core, so a page that does not exist
// cannot be named.
import type { ConsolePage } from '@relay/core/console/pages';
import {
  IconBook2,
  IconCalendarTime,
  IconClipboardCheck,
  IconHome,
  IconInbox,
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
import type { TextId } from '../i18n.ts';

export interface PageEntry {
  readonly path: ConsolePage;
  readonly label: TextId;
  /** For narrow places. */
  readonly short?: TextId;
  readonly icon: TablerIcon;
  /** What the page shows, for the palette. */
  readonly description: TextId;
}

interface PageGroup {
  readonly title: TextId | null;
  readonly pages: readonly PageEntry[];
}

const HOME: PageEntry = {
  path: '/',
  label: 'common.page.home',
  icon: IconHome,
  description: 'common.palette.page.home',
};
const APPROVALS: PageEntry = {
  path: '/approvals',
  label: 'common.page.approvals',
  icon: IconClipboardCheck,
  description: 'common.palette.page.approvals',
};
const CONVERSATIONS: PageEntry = {
  path: '/conversations',
  label: 'common.page.conversations',
  icon: IconTargetArrow,
  description: 'common.palette.page.conversations',
};
const PEOPLE: PageEntry = {
  path: '/people',
  label: 'common.page.people',
  short: 'common.page.people.short',
  icon: IconUserScan,
  description: 'common.palette.page.people',
};

/** Listed only where there are several accounts. */
export const INBOX: PageEntry = {
  path: '/inbox',
  label: 'common.page.inbox',
  icon: IconInbox,
  description: 'common.palette.page.inbox',
};

export const PAGE_GROUPS: readonly PageGroup[] = [
  { title: null, pages: [INBOX, HOME, APPROVALS] },
  {
    title: 'common.nav.group.messaging',
    pages: [
      CONVERSATIONS,
      {
        path: '/chats',
        label: 'common.page.chats',
        icon: IconMessages,
        description: 'common.palette.page.chats',
      },
      {
        path: '/assistant',
        label: 'common.page.assistant',
        icon: IconSparkles,
        description: 'common.palette.page.assistant',
      },
      {
        path: '/schedules',
        label: 'common.page.schedules',
        icon: IconCalendarTime,
        description: 'common.palette.page.schedules',
      },
    ],
  },
  {
    title: 'common.nav.group.people',
    pages: [
      PEOPLE,
      {
        path: '/groups',
        label: 'common.page.groups',
        icon: IconUsersGroup,
        description: 'common.palette.page.groups',
      },
    ],
  },
  {
    title: 'common.nav.group.history',
    pages: [
      {
        path: '/search',
        label: 'common.page.search',
        icon: IconSearch,
        description: 'common.palette.page.search',
      },
      {
        path: '/ledger',
        label: 'common.page.ledger',
        icon: IconBook2,
        description: 'common.palette.page.ledger',
      },
    ],
  },
  {
    title: 'common.nav.group.setup',
    pages: [
      {
        path: '/tools',
        label: 'common.page.tools',
        icon: IconPlugConnected,
        description: 'common.palette.page.tools',
      },
      {
        path: '/settings',
        label: 'common.page.settings',
        icon: IconSettings,
        description: 'common.palette.page.settings',
      },
    ],
  },
];

/** The tab bar of a phone; the rest is behind More. */
export const TAB_PAGES: readonly PageEntry[] = [HOME, APPROVALS, CONVERSATIONS, PEOPLE];
