// From `npm i -g` to the first answer of an agent, as somebody new gets there: an empty prefix, an empty cache of npm,
// the demo's simulated WhatsApp and model, a phone that is linked, a contact who may be answered, and a message.
// Making the archive is not counted: somebody else has published it.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { eventually, Gateway } from '@relay/testing/e2e/gateway';
import { type Headless, holdDemo } from '@relay/testing/e2e/headless';
import { install, pack } from '@relay/testing/e2e/installed';
import { Phones } from '@relay/testing/e2e/phones';
import { type Limit, loadFigure } from './figures.ts';

const AT_MOST_S = 60;
const MB = 1_000_000;
const ME = '15550000000';
const MOM = '15550000001';

export async function benchFirstAnswer(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const folder = await mkdtemp(join(tmpdir(), 'relay-first-answer-'));
  let demo: Headless | undefined;
  try {
    const archive = await pack(await builtIn(builds.folder), folder);
    const prefix = join(folder, 'prefix');
    await mkdir(prefix);
    const steps: Limit[] = [];
    const step = async <T>(name: string, take: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      const taken = await take();
      steps.push({ name, measured: (performance.now() - began) / 1_000, unit: 's' });
      return taken;
    };

    const installed = await step('npm i -g, with an empty cache', () =>
      install(archive, { prefix, cache: join(folder, 'cache') }),
    );
    demo = await step('relay demo, until it listens', () => holdDemo(installed.command));
    const { api, token, simulator } = demo.line;
    const phones = new Phones(simulator);
    const relay = new Gateway(() => ({ port: Number(new URL(api).port), token }));
    await step('a phone is linked by its QR code', () => link(phones, relay));
    await step('somebody may be read and answered', () =>
      relay.ok('POST', '/api/whatsapp/permissions', {
        phoneNumber: MOM,
        displayName: 'Mom',
        canRead: true,
        canReply: true,
      }),
    );
    await step('they write, and are answered', () => answered(phones, relay));
    const total = steps.reduce((sum, { measured }) => sum + measured, 0);
    return [
      ...steps,
      { name: 'all of it', measured: total, unit: 's', atMost: AT_MOST_S },
      { name: 'the archive', measured: archive.bytes / MB, unit: 'MB' },
      { name: 'what lies on the disk', measured: installed.bytes / MB, unit: 'MB' },
      { name: 'packages', measured: installed.packages, unit: '' },
      loadFigure(),
    ];
  } finally {
    demo?.letGo();
    await demo?.ended;
    await rm(folder, { recursive: true, force: true });
    builds.remove();
  }
}

async function link(phones: Phones, relay: Gateway): Promise<void> {
  await phones.add(ME, 'Me');
  await phones.add(MOM, 'Mom');
  await relay.connect();
  await phones.scan(ME, await relay.qr());
  await relay.connected();
}

async function answered(phones: Phones, relay: Gateway): Promise<void> {
  await phones.send(MOM, ME, 'Are you coming to dinner?');
  await eventually('an answer in the API', async () => {
    const messages = await relay.messages({ contact: MOM });
    return messages.some(({ fromMe }) => fromMe) || undefined;
  });
}
