// `relay whatsapp connect`: connects and shows the progress; links the account if it is not linked yet.

import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkAssertion, LinkBody } from '@relay/contract/api/whatsapp';
import { RelayApiError } from '@relay/contract/client/api-error';
import { readFrames } from '@relay/contract/client/sse';
import { RelayError } from '@relay/contract/errors';
import { passkeySnippet } from '@relay/core/connection/passkey-snippet';
import { toString as drawQr } from 'qrcode';
import { clientOf, openResponse } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatPhone, toPrintable } from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

export const connectWhatsappCommand: RunCommand = async ({ config, terminal, options }) => {
  const body = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await clientOf(config.home).post('/api/whatsapp/connect', { body });
  const link = await waitUntilLinked(config.home, terminal);
  if (terminal.json) terminal.writeJson({ connected: true, phone: link.phone, name: link.name });
  else terminal.writeLine(describeConnection(link));
  return 0;
};

// Shows the linking until it succeeds or stops. Ctrl-C leaves at once and cancels an unused code.

/** The initial sync can be large; the person need not watch all of it. */
const SYNC_PATIENCE_MS = 60_000;
const INTERRUPTED = 130;

/** Resolves when connected; throws with the link's sentence when it has stopped. */
export async function waitUntilLinked(home: string, terminal: Terminal): Promise<LinkBody> {
  const screen = new LinkScreen(terminal);
  let syncing: number | null = null;
  let last: LinkBody | null = null;
  const leave = () => void cancelLinking(home, terminal, last);
  const passkey = new PasskeyPrompt(home, terminal, leave);
  const resized = () => void screen.again();
  process.once('SIGINT', leave);
  process.stdout.on('resize', resized);
  try {
    for await (const link of followLink(home)) {
      last = link;
      await screen.show(link);
      passkey.follow(link);
      if (link.state === 'syncing') {
        syncing ??= Date.now();
        if (Date.now() - syncing > SYNC_PATIENCE_MS) return link;
      } else if (link.status === 'connected') return link;
      else if (link.status === 'disconnected' && link.retryAt === null) {
        throw new RelayError('whatsapp_not_connected', { sentence: link.sentence });
      }
    }
    throw new RelayError('daemon_not_running');
  } finally {
    passkey.stop();
    process.off('SIGINT', leave);
    process.stdout.off('resize', resized);
    terminal.clearTransient();
  }
}

export const describeConnection = ({ phone, name }: LinkBody): string => {
  if (phone === null) return 'Connected.';
  return name === null
    ? `Connected as ${formatPhone(phone)}.`
    : `Connected as ${formatPhone(phone)} (${name}).`;
};

async function cancelLinking(
  home: string,
  terminal: Terminal,
  link: LinkBody | null,
): Promise<void> {
  terminal.clearTransient();
  const unused =
    link !== null && (link.qr ?? link.pairingCode ?? link.passkey?.attempt ?? null) !== null;
  if (unused) {
    await clientOf(home)
      .post('/api/whatsapp/disconnect')
      .catch(() => {});
  }
  process.exit(INTERRUPTED);
}

// Follows the state of the link over the daemon's stream. Reconnects when the stream breaks; fails when the daemon has
// stopped.

const STREAM = { method: 'GET', path: '/api/whatsapp/link/stream' };
/** The stream sends at least a keep-alive every 30 s. */
const PATIENCE_MS = 90_000;
const COME_BACK_MS = 500;

async function* followLink(home: string): AsyncGenerator<LinkBody> {
  for (;;) {
    const answer = await openResponse(home, { ...STREAM, timeoutMs: PATIENCE_MS });
    try {
      for await (const { event, data } of readFrames(answer.setEncoding('utf8'))) {
        if (event === 'link') yield data as LinkBody;
      }
    } catch {
      // A broken stream is reopened; its first frame has the current state.
    } finally {
      answer.destroy();
    }
    await sleep(COME_BACK_MS);
  }
}

// Display while linking: the code stays in place, each state has its sentence. Programs get one JSON line for each
// state.

/** Rows around the code: one above it, two for the sentence, one for the cursor. */
const ROWS_AROUND = 4;

export class LinkScreen {
  readonly #terminal: Terminal;
  #shown = '';
  #last: LinkBody | null = null;
  /** The attempt whose passkey request was explained. */
  #explained = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async show(link: LinkBody): Promise<void> {
    const { json } = this.#terminal;
    const { state, sentence, phone, name, qr, pairingCode, passkey, replaying, fault } = link;
    const shown = { state, sentence, phone, name, qr, pairingCode, passkey, replaying };
    const visible = { ...shown, ...(fault === null ? {} : { fault }) };
    const now = JSON.stringify(visible);
    if (now === this.#shown) return;
    this.#shown = now;
    this.#last = link;
    if (json) this.#terminal.writeJson(visible);
    else if (qr !== null) await this.#showQr(qr, sentence);
    else if (pairingCode !== null) this.#showCode(pairingCode, sentence);
    else if (passkey !== null) this.#showPasskey(passkey, sentence);
    else {
      this.#terminal.progress(toPrintable(sentence));
      if (fault !== null) this.#terminal.progress(toPrintable(`${fault.sentence} ${fault.action}`));
    }
  }

  /** Redraws after the window was resized. */
  async again(): Promise<void> {
    if (this.#last === null || this.#terminal.json) return;
    this.#shown = '';
    await this.show(this.#last);
  }

  async #showQr(qr: string, sentence: string): Promise<void> {
    const terminal = this.#terminal;
    const coloured = terminal.colours.isColorSupported;
    const plain = await drawQrCode(qr, false);
    const columns = plain[0]?.length ?? 0;
    if (fitsTerminal(terminal, plain.length + ROWS_AROUND, columns)) {
      terminal.draw(['', ...(coloured ? await drawQrCode(qr, true) : plain), sentence]);
      return;
    }
    terminal.progress(
      `The window is too small: the QR code needs ${columns} columns and ${plain.length + ROWS_AROUND} rows. Make it larger, or use \`relay init --phone +…\`.`,
    );
  }

  #showPasskey({ attempt, code, phone, ...request }: LinkPasskey, sentence: string): void {
    const terminal = this.#terminal;
    if (code !== null) {
      terminal.notice(`If your phone shows a code, it must be ${code}. Decline any other one.`);
    } else if (attempt !== this.#explained) {
      this.#explained = attempt;
      const account = phone === null ? 'the account that scanned the code' : formatPhone(phone);
      for (const line of passkeyGuide(account, request)) terminal.notice(line);
      return;
    }
    terminal.progress(toPrintable(sentence));
  }

  #showCode(code: string, sentence: string): void {
    const { bold } = this.#terminal.colours;
    this.#terminal.draw(['', ...drawPairingCode(toPrintable(code), bold), '', sentence]);
  }
}

// Linking with WhatsApp's passkey: what happens and why, and the answer, pasted by the owner.

type LinkPasskey = NonNullable<LinkBody['passkey']>;

function passkeyGuide(account: string, request: Pick<LinkPasskey, 'options'>): string[] {
  return [
    `WhatsApp asks for the passkey of ${account}, and lets only its own web page use it.`,
    '',
    'Continue only if you started this link yourself. Either run `relay open`, and confirm under Tools and connections with the browser extension. Or, without an extension, within 5 minutes:',
    '  1. Open https://web.whatsapp.com in a browser that has the passkey, or that can reach your phone. Do not scan its code.',
    '  2. Open the developer tools (F12, Console), paste the line below and press Enter. It asks your browser for the passkey and copies the answer. It reads nothing of the page and sends nothing.',
    '  3. Confirm with your passkey, come back here and paste.',
    '',
    passkeySnippet(request),
    '',
  ];
}

/** Asks for the answer while WhatsApp waits for it; the console may be faster. */
class PasskeyPrompt {
  readonly #home: string;
  readonly #terminal: Terminal;
  readonly #leave: () => void;
  #attempt: string | null = null;
  #asking: AbortController | undefined;

  constructor(home: string, terminal: Terminal, leave: () => void) {
    this.#home = home;
    this.#terminal = terminal;
    this.#leave = leave;
  }

  follow({ passkey, state }: LinkBody): void {
    const attempt = state === 'passkey_requested' && passkey !== null ? passkey.attempt : null;
    if (attempt === this.#attempt) return;
    this.stop();
    this.#attempt = attempt;
    if (attempt === null || this.#terminal.json || !canAsk()) return;
    this.#asking = new AbortController();
    // An aborted question needs no answer.
    this.#ask(attempt, this.#asking.signal).catch(() => undefined);
  }

  stop(): void {
    if (this.#asking === undefined) return;
    this.#asking.abort();
    this.#asking = undefined;
    process.stderr.write('\n');
  }

  async #ask(attempt: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pasted = await askUser('Answer from WhatsApp Web: ', {
        signal,
        onInterrupt: this.#leave,
      });
      if (pasted === '') continue;
      const refusal = await this.#send(attempt, pasted);
      if (refusal === null) {
        this.#asking = undefined;
        return;
      }
      this.#terminal.error(`${this.#terminal.colours.red('✗')} ${toPrintable(refusal)}`);
    }
  }

  /** Why the answer was not accepted; null if it was sent. */
  async #send(attempt: string, pasted: string): Promise<string | null> {
    let assertion: unknown;
    try {
      assertion = JSON.parse(pasted);
    } catch {
      return 'This is not the whole answer. Copy it again from the console of the WhatsApp Web tab.';
    }
    try {
      const body = { attempt, assertion: assertion as LinkAssertion };
      await clientOf(this.#home).post('/api/whatsapp/passkey', { body });
      return null;
    } catch (error) {
      if (error instanceof RelayApiError) return error.message;
      throw error;
    }
  }
}

// Draws a QR code and a pairing code in a terminal.

/** Black on white whatever the terminal's colours are, because cameras need dark on light. */
const PAPER = '\u001b[38;5;16;48;5;231m';
const PLAIN = '\u001b[0m';

export async function drawQrCode(text: string, coloured: boolean): Promise<string[]> {
  const drawn = await drawQr(text, { type: 'utf8', errorCorrectionLevel: 'L', margin: 2 });
  const lines = drawn.split('\n').filter((line) => line !== '');
  const width = Math.max(...lines.map((line) => line.length));
  return lines.map((line) => (coloured ? `${PAPER}${line.padEnd(width)}${PLAIN}` : line));
}

export function fitsTerminal(
  { size }: Pick<Terminal, 'size'>,
  rows: number,
  columns: number,
): boolean {
  return size === null || (size.rows >= rows && size.columns >= columns);
}

/** `ABCD1234` in two widely spaced halves, readable from a distance. */
export function drawPairingCode(code: string, bold: (text: string) => string): string[] {
  const halves = [code.slice(0, code.length / 2), code.slice(code.length / 2)];
  const words = halves.map((half) => [...half].join(' ')).join('   ');
  const bar = '═'.repeat(words.length + 6);
  return [`╔${bar}╗`, `║   ${bold(words)}   ║`, `╚${bar}╝`];
}
