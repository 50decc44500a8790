// Files in the console, in a real Chromium: photos, recordings, documents and what else a message can be are shown in
// their chat, the composer sends files, approvals show them, and nothing that a stranger sent runs a script.
import { readFileSync } from 'node:fs';
import { verifies } from '@relay/testing/verifies';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { evaluate } from './evaluate.ts';
import { consoleFixture } from './fixture.ts';
import { byKeyboard, type Hands } from './hands.ts';
import { linkScene, OWNER } from './scene.ts';

const MUM = '14155550104';
const KIT = '447700900417';
const PRIYA = '14155550102';
const ROSA = '14155550106';

/** The prepared files of the demo's phone page. */
const sample = (name: string): Buffer =>
  readFileSync(new URL(`../../../../packages/simulator/src/phone/page/${name}`, import.meta.url));
const PHOTO = sample('dinner.jpg');
const VOICE = sample('dinner.ogg');
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');
const STICKER = Buffer.from(
  'UklGRm4BAABXRUJQVlA4TGIBAAAvP8APEK+gqG0kN+VFUV9X1LRtBOcMpABuuvkTCCTJ7I84I0mSEjXw/+dxd7d1lwBu+rdHgKzxf5wBUBBQMHQYcEhkCNwYELFgAyzZtpU46HlAP0HnP9ikr53oX0T/GbhtG0favbXdnfQL3f/F9Jyt5BdeubTzSeFbrgrNeqVAth029y3qiAN2jxTBneEx3352eN2dLBV+6+JhLYiwrI7lghiLfbEiyhpQG6eyG5Heptc1h5KTgQOxHoZvDdFu1jK8Igky89CPs/tMksIlM/UfTs4zweV4Zef+s7PrTIDqWB/fGC1nYl99ZPp3LWci84iclMkp0kDYjCZSQCiGIqJ+c/PYj7P7TJBFXmD4EgHHLzXJFLJcLApHsUahye99GPb3/qHwyL8tCskcskjB6yJwdR15NdH/+/y4Q497/LhLj/v0vIOe9/DzLnreR8872XkvPe+m5/3sfge738Pud/1V7QA=',
  'base64',
);

interface ChatMessage {
  readonly label: string | null;
  readonly text: string;
  readonly message_id: string;
  readonly media: { readonly id: string; readonly state: string } | null;
}

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
let hands: Hands;
let mums: string;

interface Video {
  muted: boolean;
  readonly readyState: number;
  readonly currentTime: number;
  play(): Promise<void>;
}

/** A second of a moving square, as this browser records it. */
const recordVideo = async (): Promise<Buffer> => {
  const data = await evaluate<string>(
    page,
    `(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
      const drawing = canvas.getContext('2d');
      const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
      const parts = [];
      recorder.ondataavailable = ({ data }) => parts.push(data);
      const ended = new Promise((resolve) => { recorder.onstop = resolve; });
      recorder.start();
      for (let n = 0; n < 20; n += 1) {
        drawing.fillStyle = n % 2 ? 'white' : 'teal';
        drawing.fillRect(n * 7, 20, 20, 20);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      recorder.stop();
      await ended;
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
      return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(''));
    })()`,
  );
  return Buffer.from(data, 'base64');
};

const log = () => page.getByRole('log', { name: /^Messages with/ });

/** Sends from a contact's phone; returns the message's id. */
const sends = async (from: string, message: object): Promise<string> =>
  (
    await demo.phones.ok<{ id: string }>(`POST /accounts/${from}/messages`, {
      to: OWNER,
      ...message,
    })
  ).id;
const file = (kind: string, bytes: Buffer, mimetype: string, more: object = {}) => ({
  media: { kind, data: bytes.toString('base64'), mimetype, ...more },
});

const chatOf = (name: string) =>
  eventually(`the chat with ${name}`, async () => {
    const { chats } = await demo.relay.ok<{ chats: { id: string }[] }>(
      'GET',
      `/api/chats?q=${encodeURIComponent(name)}`,
    );
    return chats[0]?.id;
  });
const messagesOf = async (chat: string) =>
  (await demo.relay.ok<{ messages: ChatMessage[] }>('GET', `/api/chats/${chat}/messages`)).messages;
const isSettled = ({ media }: ChatMessage) => media?.state !== 'waiting';

/** The bytes of the newest file that this phone received from the owner. */
async function receivedFile(phone: string, text: string | null) {
  const message = await eventually(`the file on ${phone}`, async () =>
    (await demo.phones.received(phone, OWNER)).findLast(
      (one) => one.media !== null && one.text === text,
    ),
  );
  const { data, kind } = await demo.phones.ok<{ data: string; kind: string }>(
    `GET /accounts/${phone}/messages/${message.id}/media`,
  );
  return { kind, bytes: Buffer.from(data, 'base64') };
}

beforeAll(async () => {
  demo = await fixture.start(linkScene, { transcription: { by: 'endpoint', model: 'scripted' } });
  const mum = { phoneNumber: MUM, displayName: 'Mum', canRead: true };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', mum);
  await sends(MUM, { ...file('image', PHOTO, 'image/jpeg'), text: 'Sunday dinner' });
  await sends(MUM, file('voice', VOICE, 'audio/ogg; codecs=opus'));
  await sends(MUM, file('document', PDF, 'application/pdf', { fileName: 'invoice\u202efdp.exe' }));
  await sends(MUM, file('sticker', STICKER, 'image/webp'));
  const options = ['Lasagna', 'Soup'];
  await sends(MUM, { poll: { question: 'What shall I cook?', options, selectable: 1 } });
  await sends(MUM, {
    location: { latitude: 52.5, longitude: 13.4, name: 'The garden', address: '' },
  });
  const typo = await sends(MUM, { text: 'See yuo at six' });
  await demo.phones.ok(`POST /accounts/${MUM}/messages`, {
    to: OWNER,
    text: 'See you at six',
    edit: typo,
  });
  await demo.phones.react(MUM, OWNER, { id: typo, emoji: '❤️' });
  const gone = await sends(MUM, { text: 'Wrong chat, sorry' });
  await demo.phones.ok(`POST /accounts/${MUM}/messages`, { to: OWNER, delete: gone });
  mums = await chatOf('Mum');
  looking = await fixture.signedIn();
  page = looking.page;
  await sends(MUM, file('video', await recordVideo(), 'video/webm'));
  await eventually('all files', async () => {
    const all = await messagesOf(mums);
    return all.length >= 9 && all.every(isSettled) ? all : undefined;
  });
  hands = byKeyboard(page);
}, 420_000);

describe.each([1_280, 390])('%i pixels wide', (width) => {
  beforeAll(async () => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/chats/${mums}`);
    await log().getByText('Sunday dinner').waitFor();
  });

  it('shows a photo small, and whole on request, with the keyboard alone', async () => {
    verifies('MEDIA-SEEN-CHAT');
    await hands.press('button', 'Open: Photo from Mum: Sunday dinner');
    const dialog = page.getByRole('dialog', { name: 'Photo from Mum' });
    const picture = dialog.getByRole('img', { name: 'Photo from Mum: Sunday dinner' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
      .toBe(960);
    await expectNoSeriousFindings(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('plays a voice message, one at a time, and moves within it', async () => {
    verifies('MEDIA-SEEN-VOICE');
    await hands.press('button', 'Play Voice message from Mum');
    await page.getByRole('button', { name: 'Pause Voice message from Mum' }).waitFor();
    const position = page.getByRole('slider', { name: 'Position in Voice message from Mum' });
    await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThan(0.3);
    await hands.press('button', 'Pause Voice message from Mum');
    await position.fill('3');
    await log()
      .getByText(/^Hi Alex, it is Mom\./)
      .waitFor();
    await log().getByText('Transcribed by machine').waitFor();
    await expect.poll(() => position.getAttribute('aria-valuetext')).toBe('0:03 of 0:06');
  });

  it('plays a video, and loads nothing of it before', async () => {
    verifies('MEDIA-SEEN-FILES');
    const video = log().getByLabel('Video from Mum');
    await video.waitFor();
    expect(await video.evaluate((one: Video) => one.readyState)).toBe(0);
    await video.evaluate(async (one: Video) => {
      one.muted = true;
      await one.play();
    });
    await expect.poll(() => video.evaluate((one: Video) => one.currentTime)).toBeGreaterThan(0);
    await expectNoSeriousFindings(page);
  });

  it('names a document as it is, and saves it instead of opening it', async () => {
    verifies('MEDIA-SEEN-FILES');
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download invoice⟨U+202E⟩fdp.exe' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('invoice_fdp.exe');
    expect(readFileSync(await saved.path())).toEqual(PDF);
    await log()
      .getByText(/EXE · 4\d bytes/)
      .waitFor();
  });

  it('shows stickers, polls, places, reactions, edits and deletions as what they are', async () => {
    verifies('MEDIA-SEEN-TYPED');
    await log().getByRole('img', { name: 'Sticker from Mum' }).waitFor();
    await log().getByText('What shall I cook?', { exact: true }).waitFor();
    await log().getByText('Poll, 1 answer').waitFor();
    await log().getByText('The garden', { exact: true }).waitFor();
    const map = log().getByRole('link', { name: 'Open in OpenStreetMap' });
    expect(await map.getAttribute('rel')).toContain('noreferrer');
    const edited = log().getByRole('listitem').filter({ hasText: 'See you at six' });
    await edited.getByText('Edited').waitFor();
    await edited.getByRole('list', { name: 'Reactions' }).getByText('❤️ by Mum').waitFor();
    await log().getByText('This message was deleted.').waitFor();
    expect(await log().getByText('See yuo').count()).toBe(0);
    expect(await log().getByText('Wrong chat').count()).toBe(0);
    await expectNoSeriousFindings(page);
  });
});

describe('the composer', () => {
  const field = () => page.getByRole('textbox', { name: 'Your message to Mum' });
  const chosen = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: PDF };

  it('sends a chosen file with its caption, once', async () => {
    verifies('MEDIA-SEEN-COMPOSER');
    await page.setViewportSize({ width: 1_280, height: 844 });
    await page.goto(`/chats/${mums}`);
    await field().waitFor();
    const choosing = page.waitForEvent('filechooser');
    await hands.press('button', 'Attach a file');
    await (await choosing).setFiles(chosen);
    await page.getByText('plan.pdf').waitFor();
    await expectNoSeriousFindings(page);
    await page.keyboard.type('The plan');
    await page.keyboard.press('Enter');
    expect(await receivedFile(MUM, 'The plan')).toEqual({ kind: 'document', bytes: PDF });
    await log().getByText('The plan', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Remove plan.pdf' }).count()).toBe(0);
    await log().getByRole('link', { name: 'Download plan.pdf' }).waitFor();
  });

  it('sends a pasted picture as a photo, and a dropped file', async () => {
    verifies('MEDIA-SEEN-COMPOSER');
    await gives('paste', 'textarea:not([aria-hidden])', PHOTO, 'pasted.jpg', 'image/jpeg');
    await page.getByRole('button', { name: 'Remove pasted.jpg' }).waitFor();
    await field().press('Enter');
    expect(await receivedFile(MUM, null)).toEqual({ kind: 'image', bytes: PHOTO });
    await log().getByRole('button', { name: 'Open: Photo from You' }).waitFor();
    await gives('drop', 'body', VOICE, 'dropped.ogg', 'audio/ogg');
    await page.getByRole('button', { name: 'Remove dropped.ogg' }).waitFor();
    await page.getByRole('button', { name: 'Remove dropped.ogg' }).click();
    expect(await page.getByText('dropped.ogg').count()).toBe(0);
    expect(looking.complaints).toEqual([]);
  });

  /** Pastes or drops a file, as the page sees it. */
  const gives = (how: 'paste' | 'drop', where: string, bytes: Buffer, name: string, type: string) =>
    evaluate(
      page,
      `(() => {
        const data = new DataTransfer();
        const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0));
        data.items.add(new File([bytes], '${name}', { type: '${type}' }));
        const place = document.querySelector('${where}');
        const options = { bubbles: true, cancelable: true };
        place.dispatchEvent('${how}' === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }));
      })()`,
    );
});

it('shows files in a conversation as in their chat', async () => {
  verifies('MEDIA-SEEN-CHAT', 'MEDIA-SEEN-VOICE', 'MEDIA-SEEN-FILES');
  const hello = { name: 'send_message', arguments: { text: 'Hello Rosa' } };
  demo.model.rules([{ when: { contains: 'first_message' }, reply: { tool_calls: [hello] } }]);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Agree on dinner',
    target_contact: `+${ROSA}`,
  });
  await eventually('the first message', async () =>
    (await demo.phones.received(ROSA, OWNER)).find(({ text }) => text === 'Hello Rosa'),
  );
  await sends(ROSA, { ...file('image', PHOTO, 'image/jpeg'), text: 'My kitchen' });
  await sends(ROSA, file('voice', VOICE, 'audio/ogg; codecs=opus'));
  await sends(ROSA, file('document', PDF, 'application/pdf', { fileName: 'menu.pdf' }));
  await page.goto(`/conversations/${id}`);
  const transcript = page.getByRole('log');
  await transcript.getByRole('button', { name: /^Open: Photo from .*: My kitchen$/ }).waitFor();
  await transcript.getByText('My kitchen', { exact: true }).waitFor();
  await transcript.getByRole('button', { name: /^Play Voice message from/ }).waitFor();
  await transcript.getByText('Transcribed by machine').waitFor();
  await transcript.getByRole('link', { name: 'Download menu.pdf' }).waitFor();
  expect(await transcript.getByText('[Image]').count()).toBe(0);
  await expectNoSeriousFindings(page);
});

it('shows the picture that an approval would send, and sends exactly that', async () => {
  verifies('MEDIA-SEEN-APPROVAL');
  const grant = { phoneNumber: PRIYA, displayName: 'Priya', canRead: true, canReply: true };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', grant);
  const { secret } = await demo.relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name: 'Editor',
    scopes: ['messages:read', 'messages:send', 'media:read'],
  });
  const headers = { authorization: `Bearer ${secret}` };
  const photo = (await messagesOf(mums)).find(({ text }) => text === 'Sunday dinner')?.media;
  const asked = await demo.relay.ok<{ approval_id: string }>(
    'POST',
    '/api/tools/send_message',
    {
      chat_id: 'Priya',
      message: '',
      media: { id: photo?.id, kind: 'image', caption: 'Look at this' },
    },
    headers,
  );
  await page.goto(`/approvals/${asked.approval_id}`);
  const text = page.getByRole('region', { name: 'Text' });
  await text.getByRole('button', { name: 'Open: Photo: Look at this' }).waitFor();
  await text.getByText(/^JPG · 26 kB$|^JPEG · 26 kB$/).waitFor();
  await text.getByText('Look at this', { exact: true }).waitFor();
  await expectNoSeriousFindings(page);
  const approve = page.getByRole('button', { name: /^Approve/ });
  await expect.poll(() => approve.isEnabled()).toBe(true);
  await approve.click();
  expect(await receivedFile(PRIYA, 'Look at this')).toEqual({ kind: 'image', bytes: PHOTO });
});

it('lets the owner choose who sees the photos of a person', async () => {
  verifies('MEDIA-SEEN-CHOICE');
  const { contacts } = await demo.relay.ok<{ contacts: { id: string }[] }>(
    'GET',
    '/api/contacts?query=Mum',
  );
  await page.goto(`/people?who=${contacts[0]?.id}`);
  const choice = page.getByRole('combobox', { name: 'Photos' });
  expect(await choice.inputValue()).toBe('Only where an agent answers');
  await choice.click();
  await page.getByRole('option', { name: 'Never' }).click();
  await eventually('the choice', async () => {
    const permissions = await demo.relay.ok<{ displayName: string; options: object }[]>(
      'GET',
      '/api/whatsapp/permissions',
    );
    const mum = permissions.find(({ displayName }) => displayName === 'Mum');
    return JSON.stringify(mum?.options) === '{"photos":"hide"}' || undefined;
  });
  await expect.poll(() => choice.inputValue()).toBe('Never');
  await expectNoSeriousFindings(page);
});

describe('hostile files', () => {
  const SCRIPT = 'document.documentElement.dataset.ran="1";globalThis.ran=1;alert(1)';
  const SVG = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" onload='${SCRIPT}'><script>${SCRIPT}</script></svg>`,
  );
  const HTML = Buffer.from(
    `<!doctype html><script>${SCRIPT}</script><img src=x onerror='${SCRIPT}'>`,
  );
  /** A GIF that is JavaScript, too. */
  const GIF = Buffer.concat([
    Buffer.from('GIF89a=1;/*'),
    Buffer.alloc(64),
    Buffer.from(`*/;${SCRIPT}//`),
  ]);
  /** A JPEG with a page after its picture. */
  const JPEG = Buffer.concat([PHOTO, HTML]);
  const HOSTILE: readonly (readonly [string, Buffer, string, object?])[] = [
    ['image', SVG, 'image/svg+xml'],
    ['image', SVG, 'image/png'],
    ['image', HTML, 'image/jpeg'],
    ['image', HTML, 'text/html'],
    ['image', GIF, 'image/gif'],
    ['image', JPEG, 'image/jpeg'],
    ['sticker', SVG, 'image/webp'],
    ['voice', HTML, 'audio/ogg; codecs=opus'],
    ['video', HTML, 'video/mp4'],
    ['document', HTML, 'text/html', { fileName: 'page.html' }],
    ['document', SVG, 'image/svg+xml', { fileName: 'drawing.svg' }],
    [
      'document',
      Buffer.from(
        `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`,
      ),
      'application/xhtml+xml',
      { fileName: 'page.xhtml' },
    ],
    ['document', HTML, 'application/pdf', { fileName: '<img src=x onerror=alert(1)>.pdf' }],
  ];

  it('run no script, neither in a chat nor opened by their address', async () => {
    verifies('MEDIA-SEEN-SAFE');
    const grant = { phoneNumber: KIT, displayName: 'Kit', canRead: true };
    await demo.relay.ok('POST', '/api/whatsapp/permissions', grant);
    for (const [kind, bytes, type, more] of HOSTILE) {
      const caption = kind === 'image' ? { text: '<script>alert(1)</script>' } : {};
      await sends(KIT, { ...file(kind, bytes, type, more), ...caption });
    }
    const kits = await chatOf('Kit');
    const all = await eventually('all files', async () => {
      const messages = await messagesOf(kits);
      return messages.length === HOSTILE.length && messages.every(isSettled) ? messages : undefined;
    });
    const stored = all.flatMap(({ media }) => (media?.state === 'stored' ? [media.id] : []));
    expect(stored.length).toBeGreaterThan(HOSTILE.length / 2);

    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`/chats/${kits}`);
    await log().getByText('<script>alert(1)</script>').first().waitFor();
    for (const opener of await log()
      .getByRole('button', { name: /^(Open|Play)/ })
      .all()) {
      await opener.click({ force: true }).catch(() => {});
      await page.keyboard.press('Escape');
    }
    expect(await evaluate(page, RAN)).toBe(false);

    const context = page.context();
    for (const id of stored) {
      const opened = await context.newPage();
      opened.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      const answer = await context.request.get(`/api/media/${id}`);
      expect(answer.headers()).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      });
      // What is for download ends the navigation; what is shown has loaded.
      await opened.goto(`/api/media/${id}`).catch(() => {});
      expect(await evaluate(opened, RAN)).toBe(false);
      await opened.close();
    }
    expect(dialogs).toEqual([]);
  });

  const RAN = 'globalThis.ran === 1 || document.documentElement?.dataset.ran === "1"';
});
