// The frame around every page: landmarks, navigation, connection status, hold and banners.
import { ActionIcon, Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  IconClockPause,
  IconCloudOff,
  IconDots,
  IconSearch,
  IconSendOff,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { loadWhenReachable } from '../data/lazy-load.ts';
import { useDaemonConnection, useLiveStream } from '../data/live-stream.ts';
import { IS_REMOTE, pairingCodeIn } from '../data/passkey.ts';
import { linkQuery, statusQuery } from '../data/queries.ts';
import { useNow } from '../data/use-now.ts';
import { t } from '../i18n.ts';
import {
  type ConnectionDisplay,
  connectionDisplay,
  daemonGoneDisplay,
} from '../parts/connection.ts';
import { RenderAfterFirstPaint, RenderWhenIdle } from '../parts/deferred.tsx';
import { formatMoment, formatPhoneNumber, formatSpan, formatTimeOfDay } from '../parts/format.ts';
import { Light, Logo } from '../parts/marks.tsx';
import { Note } from '../parts/page.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { sendingSentence } from '../parts/sentences.ts';
import { AccountSwitcher } from './account-switcher.tsx';
import { DialogHost } from './dialog.tsx';
import {
  bufferTyping,
  expectPaletteField,
  hasPaletteField,
  stopBuffering,
} from './early-typing.ts';
import { useHold } from './hold.tsx';
import { COMMAND_KEY } from './keyboard.ts';
import { loadKeysList, useLetterKeyboard } from './keys.tsx';
import { Nav, NavFooter, PageLink } from './nav.tsx';
import { TAB_PAGES } from './navigation-entries.ts';
import classes from './shell.module.css';
import { SignIn } from './sign-in.tsx';

const PRELOAD_AFTER_MS = 2_000;

export function ConsoleShell() {
  const connection = useDaemonConnection();
  const { open, palette } = usePalette();
  useFocusAfterNavigation();
  useLetterKeyboard();
  const { hash } = useLocation();
  const isPairing = IS_REMOTE && pairingCodeIn(hash) !== null;
  if (connection.state === 'signed_out' || isPairing) return <SignIn />;
  return (
    <>
      <a className={classes.skip} href="#main">
        {t('common.skip')}
      </a>
      <div className={classes.app}>
        <aside className={classes.side} aria-label="Relay">
          <Link to="/" className={classes.brand}>
            <Logo />
            Relay
          </Link>
          <AccountSwitcher />
          <LinkStatusCard />
          <button type="button" className={classes.find} onClick={open}>
            <IconSearch size={16} stroke={1.7} aria-hidden />
            <span>{t('common.palette.open')}</span>
            <kbd>{COMMAND_KEY}</kbd>
          </button>
          <Nav />
          <NavFooter />
        </aside>
        <header className={classes.top}>
          <Link to="/" className={classes.brand}>
            <Logo />
            Relay
          </Link>
          <AccountSwitcher />
          <LinkStatusLine />
          <ActionIcon onClick={open} aria-label={t('common.palette.label')}>
            <IconSearch size={21} stroke={1.7} />
          </ActionIcon>
        </header>
        <main className={classes.main} id="main" tabIndex={-1}>
          <DemoStrip />
          <div className={classes.wrap}>
            <Banners />
            <div className={connection.state === 'gone' ? classes.dimmed : undefined}>
              <Outlet />
            </div>
          </div>
        </main>
      </div>
      <RenderAfterFirstPaint>
        <PhoneTabs />
      </RenderAfterFirstPaint>
      {palette}
      <DialogHost />
      <RenderWhenIdle>
        <Toasts />
      </RenderWhenIdle>
      <RenderWhenIdle after={PRELOAD_AFTER_MS}>
        <PreloadOverlays />
      </RenderWhenIdle>
      <WaitingAnnouncer />
    </>
  );
}

/**
 * Focuses the element that the page marks, else its title. On the first load the focus stays at the top, with the skip
 * link.
 */
function useFocusAfterNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // If the palette was opened meanwhile, the owner is typing there.
        if (fromLocation === undefined || !pathChanged || hasPaletteField()) return;
        const landing =
          document.querySelector<HTMLElement>('#main [data-landing]') ??
          document.querySelector<HTMLElement>('#main h1');
        landing?.focus({ preventScroll: true });
      }),
    [router],
  );
}

const morePages = () => loadWhenReachable(() => import('./more-pages.tsx'));
const MorePages = lazy(async () => ({ default: (await morePages()).MorePages }));
const toasts = () => loadWhenReachable(() => import('./toasts.tsx'));
const Toasts = lazy(async () => ({ default: (await toasts()).Toasts }));

/** Preloads what a key or button may open anywhere, so that it works while Relay is unreachable. */
function PreloadOverlays() {
  useEffect(() => {
    // If one cannot be loaded, the error is shown when it is opened.
    for (const part of [() => loadWhenReachable(loadPalette), loadKeysList, morePages])
      part().catch(() => {});
    // A browser that signed in again keeps its notifications.
    import('../data/push-device.ts').then(({ renewPush }) => renewPush()).catch(() => {});
  }, []);
  return null;
}

/** The tab bar of a phone. */
function PhoneTabs() {
  const [more, setMore] = useState<'never' | 'open' | 'closed'>('never');
  const { pathname } = useLocation();
  const isElsewhere = !TAB_PAGES.some(({ path }) =>
    path === '/' ? pathname === '/' : pathname.startsWith(path),
  );
  return (
    <>
      <nav className={classes.tabs} aria-label={t('common.nav.mainPages')}>
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
          <span className={classes.label}>{t('common.nav.more')}</span>
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

// Banners for all pages: the daemon does not answer, sending is on hold, WhatsApp restricts sending.

function Banners() {
  return (
    <div className={classes.banners}>
      <DaemonGoneBanner />
      <HoldBanner />
      <RestrictedBanner />
    </div>
  );
}

function DaemonGoneBanner() {
  const connection = useDaemonConnection();
  const live = useLiveStream();
  const now = useNow();
  if (connection.state !== 'gone') return null;
  const left = connection.retryAt - now;
  return (
    <Note
      hue="bad"
      icon={IconCloudOff}
      role="alert"
      actions={
        <Button variant="default" size="xs" onClick={live.reconnectNow}>
          {t('common.action.retry')}
        </Button>
      }
    >
      <b>{t('common.banner.gone.title', { time: formatTimeOfDay(connection.since) })}</b>{' '}
      {t('common.banner.gone.text')}{' '}
      <span aria-hidden>
        {left > 900
          ? t('common.banner.gone.nextTry', { time: formatSpan(left).replace(' ', '\u00a0') })
          : t('common.banner.gone.trying')}
      </span>
    </Note>
  );
}

function HoldBanner() {
  const { isHeld, waiting, isOff, askFirst } = useHold();
  if (!isHeld) return null;
  return (
    <Note
      hue="parked"
      icon={IconSendOff}
      role="status"
      actions={
        <Button size="xs" onClick={askFirst} disabled={isOff}>
          {t('common.hold.end')}
        </Button>
      }
    >
      <b>{t('common.banner.hold.title')}</b> {t('common.banner.hold.text', { count: waiting })}
    </Note>
  );
}

function RestrictedBanner() {
  const { data: status } = useQuery(statusQuery);
  const now = useNow(30_000);
  const until = status?.sending.frozen_until ?? null;
  if (until === null || Date.parse(until) <= now) return null;
  return (
    <Note hue="held" icon={IconClockPause} role="status">
      <b>{t('common.banner.restricted.title', { time: formatMoment(until, now) })}</b>{' '}
      {status && sendingSentence(status.sending)}
    </Note>
  );
}

// The state of the WhatsApp connection on every page: a light with a word, and a sentence as its description. An unreachable
// daemon takes precedence over its last known state.

interface LinkStatus extends Omit<ConnectionDisplay, 'icon'> {
  readonly detail: string;
  readonly age: string;
}

const loadingLinkStatus = (): LinkStatus => ({
  word: t('common.link.loading.label'),
  hue: 'parked',
  sentence: t('common.link.loading.text'),
  detail: t('common.link.loading.detail'),
  age: '',
});

function useLinkStatus(): LinkStatus {
  const connection = useDaemonConnection();
  const { data: link } = useQuery(linkQuery);
  const now = useNow();
  if (connection.state === 'gone') {
    const gone = daemonGoneDisplay();
    return { ...gone, detail: gone.sentence, age: formatTimeOfDay(connection.since) };
  }
  if (link === undefined) return loadingLinkStatus();
  const lastActivityAt = link.health.lastStanzaAt;
  const isUp = link.status === 'connected' && lastActivityAt !== null;
  return {
    ...connectionDisplay(link, now),
    detail: link.phone === null ? t('common.link.noPhone') : formatPhoneNumber(link.phone),
    age: isUp ? formatSpan(now - Date.parse(lastActivityAt)) : '',
  };
}

function LinkStatusCard() {
  const { hue, word, sentence, detail, age } = useLinkStatus();
  return (
    <Link to="/tools" className={classes.connection} title={sentence}>
      <Light hue={hue} />
      <b>
        {word}
        <span className={`${classes.age} num`} aria-hidden>
          {age}
        </span>
      </b>
      <small className="num">
        <bdi>{detail}</bdi>
      </small>
      <span className="unseen">{sentence}</span>
    </Link>
  );
}

/** On a phone. */
function LinkStatusLine() {
  const { hue, word, sentence } = useLinkStatus();
  return (
    <Link to="/tools" className={classes.line} title={sentence}>
      <Light hue={hue} />
      {word}
    </Link>
  );
}

// Marks every page of a demo and links to the simulated phone. The daemon knows both: the demo by its network, the
// phone's address from whoever started it.

function DemoStrip() {
  const { data: status } = useQuery(statusQuery);
  if (status?.demo !== true) return null;
  return (
    <>
      <p className={classes.demo}>
        <RichText id="common.demo.text" components={{ b: <b /> }} />{' '}
        {status.phone_page !== null && (
          <a href={status.phone_page} target="relay-phone" rel="noopener" onClick={openPhoneBeside}>
            {t('common.demo.phone')}
          </a>
        )}
      </p>
      {/* Without a phone page the network is a test's, and no visitor sees it. */}
      <Suspense>{status.phone_page !== null && <Tour />}</Suspense>
    </>
  );
}

const Tour = lazy(async () => ({
  default: (await loadWhenReachable(() => import('./tour.tsx'))).Tour,
}));

/** Opens a window as narrow as a phone; where the browser blocks it, the link works as usual. */
function openPhoneBeside(event: MouseEvent<HTMLAnchorElement>): void {
  const plain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!plain || !matchMedia('(min-width: 860px)').matches) return;
  const { href } = event.currentTarget;
  if (window.open(href, 'relay-phone', 'popup,width=430,height=860') !== null)
    event.preventDefault();
}

// One polite live region for the whole page: announces new pending items, at most one sentence in five seconds.

const ANNOUNCE_EVERY_MS = 5_000;

function WaitingAnnouncer() {
  const { data: status } = useQuery(statusQuery);
  const waiting = status?.waiting_count;
  const before = useRef(waiting);
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => {
      const more = (waiting ?? 0) - (before.current ?? waiting ?? 0);
      if (more > 0) setAnnounced(t('common.nav.newWaiting', { count: more }));
      before.current = waiting;
    }, ANNOUNCE_EVERY_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return (
    <div className="unseen" aria-live="polite">
      {announced}
    </div>
  );
}

// The palette is not part of the first page: Ctrl+K, its button or an idle page loads it. Keys typed before its field
// exists are buffered.

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

function usePalette() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    bufferTyping();
    // Does not wait if Relay is unreachable: until then no key would reach the page.
    void loadPalette().then(({ openPalette }) => {
      setWanted(true);
      openPalette();
      expectPaletteField();
    }, stopBuffering);
  }, []);
  useHotkeys([['mod+K', open]], []);
  const palette = wanted && (
    <Suspense>
      <Palette />
    </Suspense>
  );
  return { open, palette };
}
