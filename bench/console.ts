// The console under load: ten thousand conversations, a chat of a hundred thousand messages and two hundred events per
// second over the daemon's own stream, while a user scrolls and types. No task of the page may take longer than 200 ms,
// and its memory must not grow.
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { openChromium, openConsoleView, signIn } from '@relay/testing/e2e/console/browser';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { createPageMeter, type PageMeasurement } from './console/measure.ts';
import { seed } from './console/seed.ts';
import { ROUND, tasksOf } from './console/use.ts';
import { type Limit, loadFigure, quantile } from './figures.ts';
import { type Host, watchHost } from './host.ts';

const OWNER = '14155550142';
const TALKER = '14155550101';
const LONG_MS = 200;
const MESSAGES_A_SECOND = 4;

export interface ConsoleLoad {
  readonly conversations: number;
  readonly messages: number;
  readonly events: number;
  readonly seconds: number;
}

export async function benchConsole(load: ConsoleLoad): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const demo = await startDemo({ built: await builtIn(builds.folder) });
  const browser = await openChromium();
  try {
    await people(demo);
    console.log(`writing ${load.conversations} conversations and ${load.messages} messages …`);
    const seeded = await seed(demo, TALKER, load.conversations, load.messages);
    const looking = await openConsoleView(browser, demo);
    const { page } = looking;
    const measure = await createPageMeter(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await signIn(looking, demo);
    const tasks = tasksOf(page, seeded);
    // Visits each page once: what is loaded and cached the first time is not growth.
    const round = async () => {
      for (let n = 0; n < ROUND; n += 1) await tasks.next().value?.();
    };
    await round();
    const changes = seeded.change(load.events - MESSAGES_A_SECOND);
    const heard = listen(demo);
    const talk = setInterval(
      () => void demo.phones.send(TALKER, OWNER, 'and now?'),
      1_000 / MESSAGES_A_SECOND,
    );
    await page.waitForTimeout(2_000);
    const before = await measure.heapMb();
    const host = watchHost();
    const working = await measure.working();
    await measure.begin();
    const [told, asked, began] = [heard.count(), requests.length, Date.now()];
    while (Date.now() - began < load.seconds * 1_000) await round();
    const seconds = (Date.now() - began) / 1_000;
    const measured = await measure.read();
    const worked = await working.end();
    const rate = (heard.count() - told) / seconds;
    const after = await measure.heapMb();
    clearInterval(talk);
    await changes.stop();
    heard.stop();
    await seeded.end();
    tellLong(measured, began, host);
    return [
      ...figuresOf(measured),
      ...workOf(worked),
      { name: 'events told by the stream', measured: rate, unit: '/s', atLeast: load.events * 0.9 },
      { name: 'requests made', measured: (requests.length - asked) / seconds, unit: '/s' },
      { name: 'heap before', measured: before, unit: 'MB' },
      { name: 'heap after', measured: after, unit: 'MB', atMost: before * 1.2 + 5 },
      { name: 'complaints of the page', measured: looking.complaints.length, unit: '', atMost: 0 },
      { name: 'seconds measured', measured: seconds, unit: 's' },
      ...host.end(),
      loadFigure(),
    ];
  } finally {
    await browser.close();
    await demo.stop();
    builds.remove();
  }
}

async function people(demo: Demo): Promise<void> {
  await demo.phones.add(OWNER, 'Alex');
  await demo.phones.add(TALKER, 'Dana');
  await demo.link(OWNER);
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: TALKER,
    displayName: 'Dana',
    canRead: true,
  });
  await demo.phones.send(TALKER, OWNER, 'Hello');
  await demo.relay.messages();
}

/** Another reader of the same stream, which only counts. */
function listen(demo: Demo): { count(): number; stop(): void } {
  const ending = new AbortController();
  let events = 0;
  const follow = async () => {
    const { body } = await fetch(`${demo.api}/api/events`, {
      headers: { authorization: `Bearer ${demo.token}` },
      signal: ending.signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of body ?? [])
      events += decoder.decode(chunk, { stream: true }).split('\nevent: ').length - 1;
  };
  follow().catch(() => {});
  return { count: () => events, stop: () => ending.abort() };
}

function figuresOf({ tasks, frames, keys }: PageMeasurement): readonly Limit[] {
  const long = tasks.filter(({ ms }) => ms > LONG_MS).length;
  const slowest = tasks.reduce((most, { ms }) => Math.max(most, ms), 0);
  return [
    { name: `long tasks over ${LONG_MS} ms`, measured: long, unit: '', atMost: 0 },
    { name: 'long tasks over 50 ms', measured: tasks.length, unit: '' },
    { name: 'longest task', measured: slowest, unit: 'ms', atMost: LONG_MS },
    { name: 'frames, 99 of 100 within', measured: quantile(frames, 0.99), unit: 'ms' },
    { name: 'slowest frame', measured: Math.max(...frames), unit: 'ms' },
    {
      name: 'key to paint, 95 of 100 within',
      measured: quantile(keys, 0.95),
      unit: 'ms',
      atMost: 200,
    },
    { name: 'key to paint, slowest', measured: Math.max(0, ...keys), unit: 'ms' },
  ];
}

/** Without the time a task waited for a processor: the page's own share, whatever else runs on the machine. */
function workOf(worked: readonly number[]): readonly Limit[] {
  const long = worked.filter((ms) => ms > LONG_MS).length;
  return [
    {
      name: `tasks over ${LONG_MS} ms of processor time`,
      measured: worked.length > 0 ? long : Number.NaN,
      unit: '',
      atMost: 0,
    },
    { name: 'longest task, processor time', measured: Math.max(0, ...worked), unit: 'ms' },
  ];
}

/** Includes the time that the host took meanwhile, which a task cannot see. */
function tellLong({ tasks }: PageMeasurement, began: number, host: Host): void {
  for (const { at, ms, where } of tasks.filter((task) => task.ms > LONG_MS)) {
    const second = Math.round((at - began) / 1_000);
    const taken = host.takenMs(at, at + ms);
    const told = taken === null ? '' : `, ${taken} ms taken by its host`;
    console.log(`  ${Math.round(ms)} ms at ${second} s on ${where}${told}`);
  }
}
