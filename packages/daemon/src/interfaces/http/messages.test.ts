import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { buffered } from './testing/outbox.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

const JSON_TYPE = { ...bearer, 'content-type': 'application/json' };
const PATH = '/api/whatsapp/messages';

async function gateway() {
  const stand = standIns({ limits: { probeMs: 150, probeLookMs: 20 } });
  const server = await listening(stand.deps);
  const get = async (query: string) => {
    const { status, body } = await server.call({ path: `${PATH}${query}`, headers: bearer });
    return { status, body: JSON.parse(body) };
  };
  const post = async (path: string, given: unknown, headers: Record<string, string> = {}) => {
    const body = given === undefined ? {} : { body: JSON.stringify(given) };
    const type = given === undefined ? bearer : JSON_TYPE;
    const answer = await server.call({
      method: 'POST',
      path,
      headers: { ...type, ...headers },
      ...body,
    });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  return { ...stand, get, post };
}

describe('GET messages', () => {
  test('returns messages with exactly the seed’s fields', async () => {
    verifies('000-API-MESSAGES', '000-MSG-SHAPE');
    const { get } = await gateway();
    const { status, body } = await get('');
    expect(status).toBe(200);
    expect(body).toEqual({ messages: [buffered] });
    expect(Object.keys(body.messages[0]).sort()).toEqual(
      ['body', 'from', 'fromMe', 'fromName', 'id', 'isGroup', 'timestamp', 'to'].sort(),
    );
  });

  test.each([
    ['', 50],
    ['?limit=7', 7],
    ['?limit=100', 100],
    ['?limit=101', 100],
    ['?limit=1000000', 100],
  ])('reads the limit from %s as %i', async (query, limit) => {
    verifies('000-API-MESSAGES-LIMIT');
    const { get, queries } = await gateway();
    expect((await get(query)).status).toBe(200);
    expect(queries).toEqual([{ limit }]);
  });

  test.each([
    ['?contact=1415', '1415'],
    ['?contact=%2B1%20(415)%20555', '1415555'],
  ])('filters %s by the digits %s', async (query, contact) => {
    verifies('000-API-MESSAGES-CONTACT');
    const { get, queries } = await gateway();
    await get(query);
    expect(queries).toEqual([{ contact, limit: 50 }]);
  });

  test('ignores an empty contact, and filters by chat', async () => {
    const { get, queries } = await gateway();
    await get('?contact=&chat=1%40g.us');
    expect(queries).toEqual([{ chat: '1@g.us', limit: 50 }]);
  });

  test.each([
    '?limit=0',
    '?limit=-1',
    '?limit=many',
    '?contact=Alice',
    '?from=1',
    '?contact=1&chat=1@g.us',
  ])('refuses the invalid query %s', async (query) => {
    const { get, queries } = await gateway();
    expect((await get(query)).status).toBe(400);
    expect(queries).toEqual([]);
  });
});

describe('POST message', () => {
  test('passes on which message it replies to', async () => {
    verifies('WRITE-QUOTE');
    const { post, outbox } = await gateway();
    await post(PATH, { to: '+49 170 1234567', text: 'Yes', replyTo: '3EB0A7' });
    expect(outbox.rows).toEqual([
      { to: '491701234567@s.whatsapp.net', text: 'Yes', replyTo: '3EB0A7' },
    ]);
  });

  test('returns the state of the message and the recipient’s JID', async () => {
    verifies('000-SEND-RESULT');
    const { post, outbox } = await gateway();
    const sent = await post(PATH, { to: '+49 170 1234567', text: 'Hello' });
    expect(sent).toEqual({
      status: 200,
      body: {
        success: true,
        jid: '491701234567@s.whatsapp.net',
        chatId: expect.any(String),
        id: 'outbox-0',
        messageId: '3EB00',
        state: 'pending',
      },
    });
    expect(outbox.rows).toEqual([{ to: '491701234567@s.whatsapp.net', text: 'Hello' }]);
  });

  test('sends a message with the same key once, and reports success until it fails', async () => {
    const { post, outbox } = await gateway();
    const message = { to: '491701234567', text: 'Hello' };
    const key = { 'idempotency-key': 'k1' };
    const first = await post(PATH, message, key);
    outbox.advance('failed');
    const second = await post(PATH, message, key);
    expect(outbox.rows).toHaveLength(1);
    expect(second.body).toEqual({ ...first.body, success: false, state: 'failed' });
  });

  test.each([
    ['123-456@g.us', '123-456@g.us'],
    ['120363@g.us', '120363@g.us'],
    ['77@lid', '77@lid'],
    ['491701234567:3@s.whatsapp.net', '491701234567@s.whatsapp.net'],
  ])('sends to %s as %s', async (to, jid) => {
    const { post } = await gateway();
    expect((await post(PATH, { to, text: 'x' })).body.jid).toBe(jid);
  });

  test.each(['me', '12', 'status@broadcast', '1@newsletter', '49170١٢٣٤٥٦٧'])(
    'refuses to send to the invalid recipient %s',
    async (to) => {
      const { post, outbox } = await gateway();
      const { status, body } = await post(PATH, { to, text: 'x' });
      expect([status, body.code]).toEqual([400, 'invalid_recipient']);
      expect(outbox.rows).toEqual([]);
    },
  );

  test.each([{ to: '491701234567' }, { to: '491701234567', text: ' ' }, { text: 'x' }, {}])(
    'refuses the invalid message %j',
    async (message) => {
      const { post, outbox } = await gateway();
      expect((await post(PATH, message)).status).toBe(400);
      expect(outbox.rows).toEqual([]);
    },
  );
});

describe('POST probe', () => {
  test('sends one message to the linked number and answers when WhatsApp has it', async () => {
    const { post, whatsapp, outbox } = await gateway();
    whatsapp.become({ state: 'connected', phone: '491701234567' });
    setTimeout(() => {
      outbox.advance('sent');
      whatsapp.receipt('3EB00');
    }, 30);
    expect(await post('/api/whatsapp/probe', undefined)).toEqual({
      status: 200,
      body: {
        arrived: true,
        state: 'sent',
        messageId: '3EB00',
        sentence: 'WhatsApp accepted the message to yourself.',
      },
    });
    expect(outbox.rows).toMatchObject([{ to: '491701234567@s.whatsapp.net' }]);
    expect(whatsapp.listeners()).toBe(0);
  });

  test('reports a message that is pending, failed or unknown', async () => {
    const { post, whatsapp, outbox } = await gateway();
    whatsapp.become({ state: 'connected', phone: '491701234567' });
    for (const state of ['pending', 'failed', 'unknown'] as const) {
      outbox.advance(state);
      const { body } = await post('/api/whatsapp/probe', undefined);
      expect(body).toMatchObject({ arrived: false, state });
    }
    expect(outbox.rows).toHaveLength(3);
  });

  test('is refused with the link’s sentence while not connected', async () => {
    const { post, outbox } = await gateway();
    expect(await post('/api/whatsapp/probe', undefined)).toEqual({
      status: 409,
      body: {
        error: 'Not connected to WhatsApp. Link your account with `relay init`.',
        code: 'whatsapp_not_connected',
      },
    });
    expect(outbox.rows).toEqual([]);
  });
});
