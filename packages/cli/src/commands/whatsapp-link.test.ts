import type { LinkBody } from '@relay/contract/api/whatsapp';
import { expect, test } from 'vitest';
import { openTerminal } from '../terminal.ts';
import { describeConnection, drawPairingCode, drawQrCode, LinkScreen } from './whatsapp-link.ts';

const link = (given: Partial<LinkBody>) =>
  ({
    state: 'qr_ready',
    sentence: 'Scan it.',
    qr: null,
    pairingCode: null,
    passkey: null,
    fault: null,
    ...given,
  }) as LinkBody;

function screen(rows: number, isTTY = true) {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    rows,
    columns: 80,
    write: (text: string) => {
      said[name] += text;
    },
  });
  const terminal = openTerminal({ json: false, colour: false }, sink('out'), sink('err'));
  return { said, terminal, screen: new LinkScreen(terminal) };
}

/** As long as WhatsApp's. */
const QR = `2@${'A'.repeat(100)},${'b'.repeat(44)},${'c'.repeat(44)},${'d'.repeat(44)}`;

test("draws a code of WhatsApp's length in 57 columns and 29 rows, with colours too", async () => {
  for (const coloured of [false, true]) {
    const lines = (await drawQrCode(QR, coloured)).map((line) => line.replace(/.\[[\d;]+m/g, ''));
    expect([lines.length, new Set(lines.map(({ length }) => length))]).toEqual([29, new Set([57])]);
  }
});

test('does not draw the same code twice, and replaces an old one in place', async () => {
  const { said, screen: one } = screen(40);
  await one.show(link({ qr: QR }));
  const once = said.out.length;
  await one.show(link({ qr: QR }));
  expect(said.out).toHaveLength(once);
  await one.show(link({ qr: `${QR}!` }));
  expect(said.out).toContain('\u001b[31A\r\u001b[J');
});

test('asks for a larger window, and draws the code once it fits', async () => {
  const { said, screen: small } = screen(24);
  await small.show(link({ qr: QR }));
  expect(said.err).toContain('needs 57 columns and 33 rows');
  expect(said.err).toContain('relay init --phone');
  expect(said.out).toBe('');

  const { said: large, screen: grown } = screen(33);
  await grown.show(link({ qr: QR }));
  await grown.again();
  expect(large.out.split('Scan it.')).toHaveLength(3);
});

test('shows states unchanged, and they cannot control the terminal', async () => {
  const { said, screen: one } = screen(24, false);
  await one.show(link({ state: 'scanned', sentence: 'Scanned.\u001b[2J' }));
  expect(said.err).toBe('Scanned.⟨U+001B⟩[2J\n');
});

test('draws a pairing code in two halves', () => {
  expect(drawPairingCode('ABCD1234', String)).toEqual([
    '╔═══════════════════════╗',
    '║   A B C D   1 2 3 4   ║',
    '╚═══════════════════════╝',
  ]);
});

test.each([
  [{ phone: '49170', name: 'Ana' }, 'Connected as +49170 (Ana).'],
  [{ phone: '49170', name: null }, 'Connected as +49170.'],
  [{ phone: null, name: null }, 'Connected.'],
])('describes a connection with %j as %s', (given, sentence) => {
  expect(describeConnection(link(given))).toBe(sentence);
});

test('explains a passkey request once, with the text to run, and then shows the code to compare', async () => {
  const { said, screen: one } = screen(40);
  const options = { challenge: 'abc', rpId: 'whatsapp.com' };
  const passkey = {
    attempt: 'a',
    phone: '491701234567',
    options,
    expiresAt: '2026-11-15T02:05:00.000Z',
    code: null,
  };
  const asked = link({ state: 'passkey_requested', sentence: 'Confirm it.', passkey });
  await one.show(asked);
  await one.show({ ...asked, sentence: 'Confirm it now.' });
  expect(said.err.match(/lets only its own web page use it/g)).toHaveLength(1);
  expect(said.err).toContain('+491701234567');
  expect(said.err).toContain(JSON.stringify(options));
  expect(said.err).toContain('Continue only if you started this link yourself.');
  await one.show(
    link({ state: 'passkey_sent', sentence: 'Sent.', passkey: { ...passkey, code: '1234-ABCD' } }),
  );
  expect(said.err).toContain('it must be 1234-ABCD');
});
