// The navigation: links to the pages, with counts where something waits for the owner.

import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountsQuery, statusQuery } from '../data/queries.ts';
import { type TextId, t } from '../i18n.ts';
import { Count } from '../parts/marks.tsx';
import { HoldButton } from './hold.tsx';
import { INBOX, PAGE_GROUPS, type PageEntry } from './navigation-entries.ts';
import classes from './shell.module.css';

export function Nav({ onChosen }: { readonly onChosen?: () => void }) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const isListed = (page: PageEntry) => page !== INBOX || accounts.length > 1;
  return (
    <nav className={classes.nav} aria-label={t('common.nav.pages')}>
      {PAGE_GROUPS.map(({ title, pages }) => (
        <div key={title}>
          {title !== null && <h2>{t(title)}</h2>}
          {pages.filter(isListed).map((page) => (
            <PageLink key={page.path} page={page} onChosen={onChosen} />
          ))}
        </div>
      ))}
    </nav>
  );
}

interface PageLinkProps {
  readonly page: PageEntry;
  readonly short?: boolean;
  readonly onChosen?: (() => void) | undefined;
}

export function PageLink({ page, short = false, onChosen }: PageLinkProps) {
  const { icon: Icon, path } = page;
  const label = t(page.label);
  return (
    <Link
      to={path}
      activeOptions={{ exact: path === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
      onClick={onChosen}
      title={label}
    >
      <Icon size={short ? 21 : 18} stroke={1.6} aria-hidden />
      <span className={classes.label}>{short ? t(page.short ?? page.label) : label}</span>
      <WaitingCount path={path} />
    </Link>
  );
}

function WaitingCount({ path }: { readonly path: string }) {
  const { data: status } = useQuery(statusQuery);
  const { data: accounts = [] } = useQuery(accountsQuery);
  const waiting = {
    '/inbox': accounts.reduce((sum, account) => sum + account.waiting_count, 0),
    '/approvals': status?.approvals_waiting,
    '/conversations': status?.needs_you_count,
  }[path];
  if (!waiting) return null;
  return <Count n={waiting} says={` ${t('common.nav.waiting', { count: waiting })}`} />;
}

// The area below the list of pages, on a laptop and behind More on a phone.

export function NavFooter() {
  return (
    <div className={classes.foot}>
      <HoldButton />
      <SchemeButton />
    </div>
  );
}

// Switches between light, dark and the system's scheme.

const NEXT_SCHEME: Record<MantineColorScheme, MantineColorScheme> = {
  auto: 'dark',
  dark: 'light',
  light: 'auto',
};
const SWITCH_TO: Record<MantineColorScheme, TextId> = {
  auto: 'common.theme.system',
  dark: 'common.theme.dark',
  light: 'common.theme.light',
};
const SCHEME_ICONS = { auto: IconSunMoon, dark: IconMoon, light: IconSun };

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT_SCHEME[colorScheme];
  const label = t(SWITCH_TO[next]);
  // The icon of the current scheme: the label says what the button does.
  const Icon = SCHEME_ICONS[colorScheme];
  return (
    <ActionIcon
      variant="default"
      onClick={() => setColorScheme(next)}
      aria-label={label}
      title={label}
    >
      <Icon size={17} stroke={1.6} />
    </ActionIcon>
  );
}
