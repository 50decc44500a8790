// The frame around every page: landmarks, navigation, the connection light, the hold and what concerns all pages.
import { ActionIcon } from '@mantine/core';
import { IconDots, IconSearch } from '@tabler/icons-react';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { fetched } from '../data/fetched.ts';
import { useConnection } from '../data/use-live.ts';
import { Later, Soon } from '../parts/later.tsx';
import { Announcer } from './announcer.tsx';
import { Asking } from './asking.tsx';
import { Banners } from './banners.tsx';
import { COMMAND_KEY } from './command-key.ts';
import { ConnectionCard, ConnectionLine } from './connection-light.tsx';
import { DemoStrip } from './demo-strip.tsx';
import { hasField } from './early-typing.ts';
import { Foot } from './foot.tsx';
import { keysList, useKeyboard } from './keys.tsx';
import { Logo } from './logo.tsx';
import { Nav, PageLink } from './nav.tsx';
import { TAB_PAGES } from './pages.ts';
import { loadPalette, usePalette } from './palette-door.tsx';
import classes from './shell.module.css';
import { SignIn } from './sign-in.tsx';

const AT_REST_MS = 2_000;

export function Shell() {
  const connection = useConnection();
  const { open, palette } = usePalette();
  useFocusAfterNavigation();
  useKeyboard();
  if (connection.is === 'signed_out') return <SignIn />;
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <div className={classes.app}>
        <aside className={classes.side} aria-label="Relay">
          <Link to="/" className={classes.brand}>
            <Logo />
            Relay
          </Link>
          <ConnectionCard />
          <button type="button" className={classes.find} onClick={open}>
            <IconSearch size={16} stroke={1.7} aria-hidden />
            <span>Find or do…</span>
            <kbd>{COMMAND_KEY}</kbd>
          </button>
          <Nav />
          <Foot />
        </aside>
        <header className={classes.top}>
          <Link to="/" className={classes.brand}>
            <Logo />
            Relay
          </Link>
          <ConnectionLine />
          <ActionIcon onClick={open} aria-label="Find or do">
            <IconSearch size={21} stroke={1.7} />
          </ActionIcon>
        </header>
        <main className={classes.main} id="main" tabIndex={-1}>
          <DemoStrip />
          <div className={classes.wrap}>
            <Banners />
            <div className={connection.is === 'gone' ? classes.dimmed : undefined}>
              <Outlet />
            </div>
          </div>
        </main>
      </div>
      <Soon>
        <Tabs />
      </Soon>
      {palette}
      <Asking />
      <Later>
        <Toasts />
      </Later>
      <Later after={AT_REST_MS}>
        <Ahead />
      </Later>
      <Announcer />
    </>
  );
}

/** Where the page says so, else at its sentence. Whoever just opened the console begins at the top, with the skip link. */
function useFocusAfterNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // Whoever opened the palette meanwhile is typing there.
        if (fromLocation === undefined || !pathChanged || hasField()) return;
        const landing =
          document.querySelector<HTMLElement>('#main [data-landing]') ??
          document.querySelector<HTMLElement>('#main h1');
        landing?.focus({ preventScroll: true });
      }),
    [router],
  );
}

const morePages = () => fetched(() => import('./more-pages.tsx'));
const MorePages = lazy(async () => ({ default: (await morePages()).MorePages }));
const toasts = () => fetched(() => import('./toasts.tsx'));
const Toasts = lazy(async () => ({ default: (await toasts()).Toasts }));

/** What a key or a press asks for anywhere is there when Relay is not. */
function Ahead() {
  useEffect(() => {
    // Whoever wants one that cannot be had is told then.
    for (const part of [() => fetched(loadPalette), keysList, morePages]) part().catch(() => {});
  }, []);
  return null;
}

/** The bottom of a phone. */
function Tabs() {
  const [more, setMore] = useState<'never' | 'open' | 'closed'>('never');
  const { pathname } = useLocation();
  const isElsewhere = !TAB_PAGES.some(({ path }) =>
    path === '/' ? pathname === '/' : pathname.startsWith(path),
  );
  return (
    <>
      <nav className={classes.tabs} aria-label="Main pages">
        {TAB_PAGES.map((page) => (
          <PageLink key={page.path} page={page} short />
        ))}
        <button
          type="button"
          onClick={() => setMore('open')}
          aria-haspopup="dialog"
          aria-current={isElsewhere ? 'page' : undefined}
        >
          <IconDots size={21} stroke={1.6} aria-hidden />
          <span className={classes.label}>More</span>
        </button>
      </nav>
      {more !== 'never' && (
        <Suspense>
          <MorePages isOpen={more === 'open'} close={() => setMore('closed')} />
        </Suspense>
      )}
    </>
  );
}
