// The console's service worker: shows notifications that the daemon pushes, and answers approvals from them. It caches
// nothing and handles no request.
// Invariant: it approves only what the notification showed in full, by the hash that came with it, with the session of
// this browser. Everything else opens the console.
import type { PushPayload } from '@relay/contract/notifications/push-payload';

type Texts = Readonly<Record<string, string>>;

/** Added by the build: the texts in every language. */
declare const __TEXTS__: Readonly<Record<string, Texts>>;

/** What TypeScript's library for pages lacks. */
interface WaitingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends WaitingEvent {
  readonly data: { json(): unknown } | null;
}
interface NotificationEvent extends WaitingEvent {
  readonly notification: Notification;
  readonly action: string;
}
interface WindowClient {
  readonly url: string;
  readonly visibilityState: string;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<WindowClient | null>;
}
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: { type: 'window' }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: WaitingEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void;
}

interface ShownOptions extends NotificationOptions {
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
  readonly renotify?: boolean;
  readonly timestamp?: number;
}

const worker = self as unknown as Worker;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('push', (event) => {
  const payload = event.data?.json() as PushPayload | undefined;
  if (payload === undefined) return;
  event.waitUntil(payload.action === 'close' ? close(payload) : show(payload));
});

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  const payload = notification.data as PushPayload;
  const answer = payload.detail?.answer ?? null;
  if (answer !== null && (action === 'approve' || action === 'decline')) {
    event.waitUntil(decide(payload, answer, action));
    return;
  }
  notification.close();
  event.waitUntil(open(payload.path));
});

// Showing and closing.

/** For all notifications that only say how many approvals wait. */
const STATUS_TAG = 'status';

function show(payload: PushPayload): Promise<void> {
  const { detail, kind } = payload;
  const buttons = kind === 'test' ? [] : detail?.answer ? ['approve', 'decline'] : ['open'];
  return put(payload, {
    title: text(payload, titleId(payload)),
    body: bodyOf(payload),
    actions: buttons.map((action) => ({ action, title: text(payload, `push.${action}`) })),
    tag: payload.tag,
    isQuiet: false,
  });
}

function titleId({ kind, detail }: PushPayload): string {
  return kind === 'approval' && detail?.answer ? 'push.approval.ask' : `push.${kind}.title`;
}

function bodyOf(payload: PushPayload): string {
  const { kind, code, waiting, detail } = payload;
  if (detail !== null) {
    const who = kind === 'approval' ? text(payload, 'push.to', { who: detail.who }) : detail.who;
    return `${who}\n${detail.text}`;
  }
  if (kind === 'approval') return waitingText(payload, waiting);
  if (kind === 'model') return text(payload, `push.model.${code}`);
  return text(payload, `push.${kind}.text`);
}

const waitingText = (payload: PushPayload, waiting: number): string =>
  waiting === 0
    ? text(payload, 'push.waiting.none')
    : text(payload, 'push.waiting', { count: String(waiting) });

/** Browsers expect every push to leave something visible: where nothing else is, a silent line says what waits. */
async function close(payload: PushPayload): Promise<void> {
  const shown = await worker.registration.getNotifications();
  const mine = shown.filter(({ tag }) => tag === payload.tag);
  // The result of an answer that was given here stays.
  const isAnswered = mine.some(({ data }) => (data as PushPayload).action === 'close');
  if (isAnswered) return;
  for (const notification of mine) notification.close();
  const left = shown.filter(({ tag }) => tag !== payload.tag && tag !== STATUS_TAG);
  const windows = await worker.clients.matchAll({ type: 'window' });
  if (left.length > 0 || windows.some(({ visibilityState }) => visibilityState === 'visible'))
    return;
  const path = '/approvals';
  await put(
    { ...payload, path, detail: null },
    {
      title: 'Relay',
      body: waitingText(payload, payload.waiting),
      actions: [],
      tag: STATUS_TAG,
      isQuiet: true,
    },
  );
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly actions: NonNullable<ShownOptions['actions']>;
  readonly tag: string;
  readonly isQuiet: boolean;
}

function put(payload: PushPayload, { title, body, actions, tag, isQuiet }: Shown): Promise<void> {
  const options: ShownOptions = {
    body,
    tag,
    actions,
    data: payload,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    lang: payload.locale,
    dir: 'auto',
    timestamp: Date.parse(payload.at),
    silent: isQuiet,
    requireInteraction: payload.kind === 'approval' && !isQuiet,
  };
  return worker.registration.showNotification(title, options);
}

// Answering.

type Answer = NonNullable<NonNullable<PushPayload['detail']>['answer']>;

/** The daemon takes an answer once, and only for the hash that was shown. */
async function decide(
  payload: PushPayload,
  { approval, shown }: Answer,
  action: 'approve' | 'decline',
): Promise<void> {
  const path = action === 'approve' ? 'approve' : 'reject';
  const outcome = await fetch(`/api/approvals/${approval}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'same-origin',
    cache: 'no-store',
    body: JSON.stringify(action === 'approve' ? { shown } : {}),
  }).then(
    (response) => (response.ok ? DONE[action] : refusalOf(response)),
    () => 'unknown' as const,
  );
  const result = {
    tag: payload.tag,
    title: text(payload, `push.result.${outcome}`),
    isQuiet: true,
  };
  if (outcome === 'signedOut') {
    // Still open: it is answered on the page, and taken away like any other when it is.
    const body = text(payload, 'push.result.signedOut.text');
    const actions = [{ action: 'open', title: text(payload, 'push.open') }];
    await put({ ...payload, detail: null }, { ...result, body, actions });
    // A browser may refuse to open a window: the notification opens it then.
    return open(payload.path).catch(() => {});
  }
  const isDone = outcome === 'approved' || outcome === 'declined';
  const body = isDone ? bodyOf(payload) : text(payload, `push.result.${outcome}.text`);
  await put({ ...payload, action: 'close', detail: null }, { ...result, body, actions: [] });
}

const DONE = { approve: 'approved', decline: 'declined' } as const;

/** After a few hours a phone has no session any more, and a grant needs the passkey that was just used. */
async function refusalOf(response: Response): Promise<'signedOut' | 'answered' | 'refused'> {
  const { status } = response;
  if (status === 409) return 'answered';
  const refusal = (await response.json().catch(() => null)) as { readonly code?: string } | null;
  return status === 401 || refusal?.code === 'passkey_stale' ? 'signedOut' : 'refused';
}

/** In a window of the console that is open, else in a new one. */
async function open(path: string): Promise<void> {
  const [window] = await worker.clients.matchAll({ type: 'window' });
  const moved = window && (await window.navigate(path).catch(() => null));
  // A browser may refuse to focus: the page is there anyway.
  if (moved) await moved.focus().catch(() => {});
  else await worker.clients.openWindow(path);
}

// Texts.

function text({ locale }: PushPayload, id: string, values: Texts = {}): string {
  const key = id.slice('push.'.length);
  const found = __TEXTS__[locale]?.[key] ?? __TEXTS__.en?.[key] ?? '';
  return found.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
