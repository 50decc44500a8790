// What a person sees while linking: the code in its place, and each state in its sentence. Programs get
// one JSON line for each state instead.
import type { LinkBody } from '@relay/core/api/link';
import { printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { codeLines, fits, qrLines } from './qr.ts';

/** Around the code: a row above it, two for the sentence, one for the cursor. */
const ROWS_AROUND = 4;

export class LinkScreen {
  readonly #terminal: Terminal;
  #shown = '';
  #last: LinkBody | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async show(link: LinkBody): Promise<void> {
    const { json } = this.#terminal;
    const { state, sentence, phone, name, qr, pairingCode, replaying } = link;
    const visible = { state, sentence, phone, name, qr, pairingCode, replaying };
    const now = JSON.stringify(visible);
    if (now === this.#shown) return;
    this.#shown = now;
    this.#last = link;
    if (json) this.#terminal.give(visible);
    else if (qr !== null) await this.#showQr(qr, sentence);
    else if (pairingCode !== null) this.#showCode(pairingCode, sentence);
    else this.#terminal.progress(printable(sentence));
  }

  /** After the window has changed its size. */
  async again(): Promise<void> {
    if (this.#last === null || this.#terminal.json) return;
    this.#shown = '';
    await this.show(this.#last);
  }

  async #showQr(qr: string, sentence: string): Promise<void> {
    const terminal = this.#terminal;
    const coloured = terminal.colours.isColorSupported;
    const plain = await qrLines(qr, false);
    const columns = plain[0]?.length ?? 0;
    if (fits(terminal, plain.length + ROWS_AROUND, columns)) {
      terminal.draw(['', ...(coloured ? await qrLines(qr, true) : plain), sentence]);
      return;
    }
    terminal.progress(
      `This window is too small for the QR code, which needs ${columns} columns and ${plain.length + ROWS_AROUND} rows. Make it larger, or use \`relay init --phone +…\`.`,
    );
  }

  #showCode(code: string, sentence: string): void {
    const { bold } = this.#terminal.colours;
    this.#terminal.draw(['', ...codeLines(printable(code), bold), '', sentence]);
  }
}
