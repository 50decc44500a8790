import { randomBytes, randomUUID } from 'node:crypto';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import { approvalId, type ChatId, instanceId, tokenId } from '@relay/contract/ids';
import { sha256Hex } from '@relay/testing/files';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { contentHash } from '../../platform/db/seal.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { resolveContent } from './outgoing-request.ts';
import { sendAsOwner } from './send-as-owner.ts';
import { assistant, autoReply, freshGate } from './testing/fixture.ts';
import { type FileContent, putChatMessage, putMedia } from './testing/media.ts';

const stage = await freshGate();
const { account, approvals, chatOf, db, gate, granted, ledger, lease, sql, submit, verdicts } =
  stage;
const OWNER = { kind: 'owner' } as const;
const POLL = {
  kind: 'poll',
  question: 'When?',
  options: ['Monday', 'Tuesday'],
  select_up_to: 1,
} satisfies OutgoingContent;

const newChat = async () => {
  const person = await granted();
  return { chat: (await chatOf(person)) as ChatId, to: person.jid ?? '' };
};
const send = (chat: ChatId, content: OutgoingContent, text = '') =>
  ({ kind: 'send_message', chat, text, content }) as const;

afterEach(() => sql('DELETE FROM outbox'));

describe('the permit of content', () => {
  test.each<[string, OutgoingContent]>([
    ['a poll', POLL],
    [
      'a location',
      { kind: 'location', latitude: 52.5, longitude: 13.4, name: null, address: null },
    ],
  ])('%s has its permit, its outbox row and its ledger row', async (_, content) => {
    verifies('MEDIA-OUT-GATE');
    const { chat } = await newChat();
    const { message, decision } = await submit(OWNER, send(chat, content));
    expect(decision.outcome).toBe('allow');
    const [row] = await sql(
      `SELECT o.content, o.body, encode(p.content_hash, 'hex') AS hash FROM outbox o JOIN permits p
       ON p.id = o.permit_id WHERE o.id = $1`,
      [message?.id],
    );
    expect(row).toEqual({ content, body: '', hash: contentHash({ chat, text: '', content }) });
    const [line] = await ledger(1);
    expect(line).toMatchObject({ action: 'send_message', detail: { content: content.kind } });
    expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  });

  test('names kind, size and hash of a file in the ledger, never its name', async () => {
    verifies('MEDIA-OUT-GATE');
    const { chat } = await newChat();
    const { content } = await putMedia(stage, { chat, name: 'secret-plan.jpg' });
    await submit(OWNER, send(chat, content, 'look'));
    const [line] = await ledger(1);
    expect(line?.detail).toMatchObject({ content: 'image', bytes: content.bytes });
    expect(line?.detail).toHaveProperty('hash');
    expect(JSON.stringify(line)).not.toContain('secret-plan');
    expect(JSON.stringify(line)).not.toContain(content.sha256);
  });

  test('covers the content: nothing that was changed afterwards is sent', async () => {
    verifies('MEDIA-OUT-BOUND');
    const { chat } = await newChat();
    const [{ content }, other] = [await putMedia(stage, { chat }), await putMedia(stage, { chat })];
    const changes: OutgoingContent[] = [
      other.content,
      { ...content, as: 'document' },
      { ...content, file_name: 'dog.jpg' },
      POLL,
    ];
    for (const changed of changes) {
      await sql('DELETE FROM outbox');
      await submit(OWNER, send(chat, content));
      await sql('UPDATE outbox SET content = $1', [JSON.stringify(changed)]);
      expect(await verdicts()).toEqual([expect.objectContaining({ reason: 'altered' })]);
    }
    await sql('UPDATE outbox SET content = NULL');
    expect(await verdicts()).toEqual([expect.objectContaining({ reason: 'altered' })]);
  });

  test('stops a file that is gone, or whose stored content is another one', async () => {
    verifies('MEDIA-OUT-BOUND');
    const { chat } = await newChat();
    const [{ content }, other] = [await putMedia(stage, { chat }), await putMedia(stage, { chat })];
    await submit(OWNER, send(chat, content));
    expect(await verdicts()).toEqual([{ verdict: 'go' }]);
    await sql(`UPDATE media SET sha256 = decode($2, 'hex') WHERE id = $1`, [
      content.media,
      other.content.sha256,
    ]);
    const stopped = [expect.objectContaining({ verdict: 'stop', reason: 'no_such_file' })];
    expect(await verdicts()).toEqual(stopped);
    await sql('DELETE FROM media WHERE id = $1', [content.media]);
    expect(await verdicts()).toEqual(stopped);
  });

  test('gives plain text the hash that it always had', () => {
    const chat = randomUUID() as ChatId;
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string()), (text, quotes) => {
        const plain = quotes === null ? `${chat}\n${text}` : `reply\n${quotes}\n${chat}\n${text}`;
        expect(contentHash({ chat, text, quotes })).toBe(sha256Hex(Buffer.from(plain)));
        expect(contentHash({ chat, text, quotes, content: null })).toBe(
          contentHash({ chat, text, quotes }),
        );
      }),
    );
  });

  test('differs for any two messages that differ in text, quote or content', () => {
    verifies('MEDIA-OUT-BOUND');
    const chat = randomUUID() as ChatId;
    const words = fc.constantFrom('', 'a', 'b', 'content\n', '\n');
    const content = fc.option(
      fc.oneof(
        fc.record({ kind: fc.constant('reaction' as const), to: words, emoji: words }),
        fc.record({ kind: fc.constantFrom('edit' as const, 'delete' as const), of: words }),
        fc.record({
          kind: fc.constant('poll' as const),
          question: words,
          options: fc.array(words, { maxLength: 2 }),
          select_up_to: fc.nat(1),
        }),
      ),
    );
    const message = fc.record({ text: words, quotes: fc.option(words), content });
    fc.assert(
      fc.property(message, message, (a, b) => {
        const isSame = JSON.stringify(a) === JSON.stringify(b);
        expect(contentHash({ chat, ...a }) === contentHash({ chat, ...b })).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the key of content', () => {
  test('returns the first message for the same content, and refuses any other', async () => {
    verifies('MEDIA-OUT-GATE');
    const { chat, to } = await newChat();
    const [{ content }, other] = [await putMedia(stage, { chat }), await putMedia(stage, { chat })];
    const key = randomUUID();
    const media = (file: FileContent, as = file.as) =>
      ({ kind: 'media', id: file.media, as }) as const;
    const sendIt = (wanted: Parameters<typeof sendAsOwner>[1]['content'], text = 'look') =>
      sendAsOwner({ db, lease, gate }, { to, text, key, ...(wanted && { content: wanted }) });
    const first = await sendIt(media(content));
    expect((await sendIt(media(content))).id).toBe(first.id);
    for (const [wanted, text] of [
      [media(other.content), 'look'],
      [media(content, 'document'), 'look'],
      [media(content), 'listen'],
      [undefined, 'look'],
      [POLL, 'look'],
    ] as const) {
      await expect(sendIt(wanted, text)).rejects.toMatchObject({ code: 'key_reused' });
    }
    expect(await sql('SELECT 1 FROM outbox')).toHaveLength(1);
  });
});

describe('what a request names', () => {
  const resolve = (chat: ChatId, request: Parameters<typeof resolveContent>[2], sees = true) =>
    transaction({ db, lease }, ({ tx }) =>
      resolveContent(tx, { account, chat, sees: () => sees }, request),
    );

  test('a recording that phones cannot play becomes an audio file', async () => {
    verifies('MEDIA-OUT-KINDS');
    const { chat } = await newChat();
    const put = async (mimetype: string) =>
      (await putMedia(stage, { chat, mimetype }, 'audio')).content.media;
    const as = async (mimetype: string, wanted: FileContent['as']) =>
      (await resolve(chat, { kind: 'media', id: await put(mimetype), as: wanted })).content;
    expect(await as('audio/ogg', 'voice')).toMatchObject({ as: 'voice' });
    expect(await as('audio/mpeg', 'voice')).toMatchObject({ as: 'audio' });
    expect(await as('image/svg+xml', 'document')).toMatchObject({ as: 'document' });
    await expect(as('image/svg+xml', 'image')).rejects.toMatchObject({ code: 'media_wrong_kind' });
    await expect(as('text/html', 'video')).rejects.toMatchObject({ code: 'media_wrong_kind' });
  });

  test('a file that the caller may not see does not exist for it', async () => {
    const { chat } = await newChat();
    const { media: id } = (await putMedia(stage, { chat })).content;
    const request = { kind: 'media', id, as: 'image' } as const;
    await expect(resolve(chat, request, false)).rejects.toMatchObject({ code: 'media_not_found' });
    await sql(`UPDATE media SET state = 'removed', sha256 = NULL WHERE id = $1`, [id]);
    await expect(resolve(chat, request)).rejects.toMatchObject({ code: 'media_not_stored' });
  });

  test('a message is named by the beginning of its id', async () => {
    const { chat } = await newChat();
    const to = await putChatMessage(stage, chat, 'Coming?');
    const reaction = { kind: 'reaction', emoji: '👍' } as const;
    expect(await resolve(chat, { ...reaction, to: to.slice(0, 10) })).toEqual({
      content: { ...reaction, to },
    });
  });
});

describe('a file of one chat that goes to another', () => {
  test('needs the owner’s approval, which shows and covers the file', async () => {
    verifies('MEDIA-OUT-FORWARD', 'MEDIA-OUT-BOUND');
    const [from, to] = [await newChat(), await newChat()];
    const { content } = await putMedia(stage, { chat: from.chat, name: 'ticket.jpg' });
    const asked = await submit(assistant(), send(to.chat, content, 'here'));
    expect(asked.decision).toEqual({ outcome: 'needs_approval', reason: 'read_then_send' });
    const id = approvalId(asked.approval ?? '');
    const shown = await approvals.show(id);
    expect(shown).toMatchObject({
      text: 'here',
      content: 'Photo “ticket.jpg” (image/jpeg, 500 bytes)',
      media: { id: content.media, kind: 'image', sha256: content.sha256, bytes: 500 },
    });
    await approvals.approve(id, shown.shown);
    expect(await verdicts()).toEqual([{ verdict: 'go' }]);
    const [row] = await sql('SELECT content FROM outbox');
    expect(row).toEqual({ content });
  });

  test('is not sent if the file was replaced while the approval was pending', async () => {
    verifies('MEDIA-OUT-BOUND');
    const [from, to] = [await newChat(), await newChat()];
    const { content } = await putMedia(stage, { chat: from.chat });
    const other = await putMedia(stage, { chat: from.chat });
    const { approval } = await submit(assistant(), send(to.chat, content));
    await sql(`UPDATE media SET sha256 = decode($2, 'hex') WHERE id = $1`, [
      content.media,
      other.content.sha256,
    ]);
    await expect(approvals.approve(approvalId(approval ?? ''))).rejects.toMatchObject({
      code: 'denied',
    });
    expect(await sql('SELECT 1 FROM outbox')).toEqual([]);
  });

  test('needs no approval when the owner sends it', async () => {
    const [from, to] = [await newChat(), await newChat()];
    const { content } = await putMedia(stage, { chat: from.chat });
    expect((await submit(OWNER, send(to.chat, content))).decision.outcome).toBe('allow');
  });
});

describe('which files an agent may send', () => {
  const token = () => ({
    kind: 'token' as const,
    token: tokenId(randomUUID()),
    scopes: [],
    contacts: null,
  });

  async function client(name: string) {
    const [row] = await sql<{ id: string }>(
      `INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, $2, $3, '{messages:send,media:write}') RETURNING id`,
      [account, name, sha256Hex(randomBytes(8))],
    );
    return { ...token(), token: tokenId(row?.id ?? '') };
  }

  test('a client sends its own uploads without an approval, and no other uploads', async () => {
    verifies('MEDIA-OUT-FORWARD', 'MEDIA-OUT-UPLOAD');
    const { chat } = await newChat();
    const [mine, theirs] = [await client('mine'), await client('theirs')];
    const own = await putMedia(stage, { token: mine.token });
    const others = await putMedia(stage, { token: theirs.token });
    const owners = await putMedia(stage, {});
    const decide = async (content: OutgoingContent) =>
      (await submit(mine, send(chat, content))).decision.reason;
    expect(await decide(own.content)).toBe('standing_grant');
    expect(await decide(others.content)).toBe('no_such_file');
    expect(await decide(owners.content)).toBe('no_such_file');
  });

  test('the assistant treats a client’s upload as that client’s text', async () => {
    verifies('MEDIA-OUT-FORWARD');
    const { chat } = await newChat();
    const upload = await putMedia(stage, { token: (await client('camera')).token });
    const owners = await putMedia(stage, {});
    const decide = async (content: OutgoingContent) =>
      (await submit(assistant(), send(chat, content))).decision.reason;
    expect(await decide(upload.content)).toBe('read_then_send');
    expect(await decide(owners.content)).toBe('standing_grant');
  });

  test('auto-reply and conversations send files of their own chat', async () => {
    verifies('MEDIA-OUT-FORWARD');
    const [from, to] = [await newChat(), await newChat()];
    const inChat = await putMedia(stage, { chat: to.chat });
    const elsewhere = await putMedia(stage, { chat: from.chat });
    const owners = await putMedia(stage, {});
    const decide = async (content: OutgoingContent) =>
      (await submit(autoReply(to.chat), send(to.chat, content))).decision.reason;
    expect(await decide(inChat.content)).toBe('standing_grant');
    expect(await decide(elsewhere.content)).toBe('file_not_given');
    expect(await decide(owners.content)).toBe('file_not_given');
    const talk = {
      kind: 'conversation',
      instance: instanceId(randomUUID()),
      chat: to.chat,
    } as const;
    expect((await submit(talk, send(to.chat, elsewhere.content))).decision.reason).toBe(
      'file_not_given',
    );
  });

  test('no agent sends view-once media', async () => {
    const { chat } = await newChat();
    const { content } = await putMedia(stage, { chat });
    await sql('UPDATE media SET view_once = true WHERE id = $1', [content.media]);
    expect((await submit(OWNER, send(chat, content))).decision.reason).toBe('no_such_file');
  });
});

describe('edits and deletions', () => {
  test('the owner changes what the account sent, while WhatsApp allows it', async () => {
    verifies('MEDIA-OUT-TYPED');
    const { chat } = await newChat();
    const own = await putChatMessage(stage, chat, 'At 8?', { fromMe: true });
    const theirs = await putChatMessage(stage, chat, 'Yes');
    const hourOld = await putChatMessage(stage, chat, 'Bye', { fromMe: true, ago: '1 hour' });
    const decide = async (content: OutgoingContent) =>
      (await submit(OWNER, send(chat, content, content.kind === 'edit' ? 'At 9?' : ''))).decision
        .reason;
    expect(await decide({ kind: 'edit', of: own })).toBe('owner');
    expect(await decide({ kind: 'delete', of: own })).toBe('owner');
    expect(await decide({ kind: 'delete', of: hourOld })).toBe('owner');
    expect(await decide({ kind: 'edit', of: hourOld })).toBe('too_late_to_change');
    expect(await decide({ kind: 'edit', of: theirs })).toBe('not_own_message');
    expect(await decide({ kind: 'delete', of: theirs })).toBe('not_own_message');
    expect(await decide({ kind: 'delete', of: '3EB0NOTHING' })).toBe('no_such_message');
    expect(await decide({ kind: 'reaction', to: theirs, emoji: '👍' })).toBe('owner');
  });

  test('an agent changes only what it sent itself', async () => {
    verifies('MEDIA-OUT-TYPED');
    const { chat } = await newChat();
    const sender = autoReply(chat);
    const owners = await putChatMessage(stage, chat, 'At 8?', { fromMe: true });
    const { message } = await submit(sender, { kind: 'send_message', chat, text: 'Hi' });
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, sent_at, id)
       VALUES ($1, $2, 'me', $3, now(), 99)`,
      [account, chat, message?.messageId],
    );
    const remove = async (of: string) =>
      (await submit(sender, send(chat, { kind: 'delete', of }))).decision.reason;
    expect(await remove(message?.messageId ?? '')).toBe('standing_grant');
    expect(await remove(owners)).toBe('not_own_message');
  });

  test('an approval shows the message that would be changed', async () => {
    const { chat } = await newChat();
    const person = await granted({ replyMode: 'draft' });
    const drafts = (await chatOf(person)) as ChatId;
    const to = await putChatMessage(stage, drafts, 'Coming?');
    expect(chat).not.toBe(drafts);
    const { approval } = await submit(
      autoReply(drafts),
      send(drafts, { kind: 'reaction', to, emoji: '👍' }),
    );
    expect(await approvals.show(approvalId(approval ?? ''))).toMatchObject({
      content: 'Reaction 👍 to a message',
      target: { message_id: to, from_me: false, text: 'Coming?' },
    });
  });
});

test('the owner edits the caption of a file, and nothing that has no text', async () => {
  verifies('MEDIA-OUT-BOUND');
  const person = await granted({ replyMode: 'draft' });
  const chat = (await chatOf(person)) as ChatId;
  const { content } = await putMedia(stage, { chat });
  const asked = await submit(autoReply(chat), send(chat, content, 'look'));
  const edited = await approvals.edit(approvalId(asked.approval ?? ''), 'see');
  expect(edited).toMatchObject({ text: 'see', media: { id: content.media } });
  const poll = await submit(autoReply(chat), send(chat, POLL));
  await expect(approvals.edit(approvalId(poll.approval ?? ''), 'text')).rejects.toMatchObject({
    code: 'approval_fixed',
  });
});

test('hidden characters in a poll or a file’s name need the owner’s approval', async () => {
  verifies('MEDIA-OUT-GATE');
  const { chat } = await newChat();
  const { content } = await putMedia(stage, { chat, name: 'a\u202Egpj.exe' });
  const poll = { ...POLL, options: ['yes', 'n\u200Bo'] };
  for (const hidden of [content, poll]) {
    const asked = await submit(autoReply(chat), send(chat, hidden));
    expect(asked.decision.reason).toBe('hidden_characters');
    expect((await approvals.show(approvalId(asked.approval ?? ''))).hidden_characters).toHaveLength(
      1,
    );
  }
});
