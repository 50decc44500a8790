// Where companions that are not linked yet wait: by the ref in their QR, or for a code to be typed.
// Invariant: who disconnects is forgotten, and whoever waited for them is told.
import { randomBytes } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys';
import { randomHex, type Stanza } from '../wire/nodes.ts';

/** A connection that asks to be linked. */
export interface Applicant {
  readonly noiseKey: Buffer;
  readonly registration: proto.ClientPayload.IDevicePairingRegistrationData;
  send(stanza: Stanza): void;
  finish(stanza: Stanza): void;
  /** The companion's answer to `pair-success`: its signed identity. */
  signed(): Promise<Buffer>;
}

export interface CodeFinish {
  bundle: Buffer;
  identity: Buffer;
}

export interface CodeRequest {
  applicant: Applicant;
  ref: Buffer;
  wrapped: Buffer;
  finished: PromiseWithResolvers<CodeFinish>;
}

const REFS = 6;
const HELLO_PATIENCE_MS = 5_000;
const POLL_MS = 10;

export class PairingDesk {
  readonly #byRef = new Map<string, Applicant>();
  readonly #byPhone = new Map<string, CodeRequest>();

  /** The refs that a companion turns into QR codes, one after the other. */
  register(applicant: Applicant): string[] {
    const refs = Array.from({ length: REFS }, () => `2@${randomBytes(60).toString('base64')}`);
    for (const ref of refs) this.#byRef.set(ref, applicant);
    return refs;
  }

  leave(applicant: Applicant): void {
    for (const [ref, holder] of this.#byRef) if (holder === applicant) this.#byRef.delete(ref);
    for (const [phone, request] of this.#byPhone) {
      if (request.applicant !== applicant) continue;
      this.#byPhone.delete(phone);
      request.finished.reject(new Error('the companion left while it was being linked'));
    }
  }

  byRef(ref: string): Applicant {
    const applicant = this.#byRef.get(ref);
    if (!applicant) throw new Error('this QR code is unknown or has expired');
    return applicant;
  }

  askForCode(phone: string, applicant: Applicant, wrapped: Buffer): Buffer {
    const ref = Buffer.from(`ref-${randomHex(8)}`);
    const finished = Promise.withResolvers<CodeFinish>();
    finished.promise.catch(() => undefined);
    this.#byPhone.set(phone, { applicant, ref, wrapped, finished });
    return ref;
  }

  finishCode(phone: string, finish: CodeFinish): void {
    this.#byPhone.get(phone)?.finished.resolve(finish);
    this.#byPhone.delete(phone);
  }

  /** Baileys shows its code before the server has the request, so a quick person waits a moment. */
  async codeRequest(phone: string): Promise<CodeRequest> {
    const until = Date.now() + HELLO_PATIENCE_MS;
    for (;;) {
      const request = this.#byPhone.get(phone);
      if (request) return request;
      if (Date.now() > until) throw new Error(`no companion asked for a code for ${phone}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
