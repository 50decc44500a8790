// One WebSocket of a client: handshake, then stanzas in and out, in order. Invariant: it is an applicant until it is
// linked and a session after its login, never both.
import {
  decodeBinaryNode,
  encodeBinaryNode,
  type proto,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';
import type { WebSocket } from 'ws';
import type { Applicant } from '../pairing.ts';
import type { CompanionConnection } from '../people/companions.ts';
import { FrameReader, frame } from '../wire/frames.ts';
import { child, childBytes, node, randomHex, type Stanza } from '../wire/nodes.ts';
import { Handshake, type NoiseTransport } from '../wire/noise.ts';
import { type CompanionSession, countUnknown, type NetworkContext } from './context.ts';
import { answerIq } from './iq/dispatch.ts';
import { routeAck, routeMessage, routeReceipt } from './messages.ts';
import { logIn, logOut, replayOffline } from './session.ts';

/** Long enough for the last stanza to be read before the close arrives. */
const GRACE_MS = 10;

export class ClientConnection implements CompanionConnection {
  readonly #deps: NetworkContext;
  readonly #socket: WebSocket;
  readonly #reader = new FrameReader();
  readonly #signedIdentity = Promise.withResolvers<Buffer>();
  #handshake: Handshake | undefined;
  #transport: NoiseTransport | undefined;
  #applicant: Applicant | undefined;
  #session: CompanionSession | undefined;
  #replaced = false;
  #inbox: Promise<void> = Promise.resolve();
  #outbox: Promise<void> | undefined;

  constructor(deps: NetworkContext, socket: WebSocket) {
    this.#deps = deps;
    this.#socket = socket;
    this.#signedIdentity.promise.catch(() => undefined);
    socket.on('message', (data) => this.#onData(Buffer.from(data as Buffer)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#onClose());
  }

  get routing(): Buffer | undefined {
    return this.#reader.routing;
  }

  send(stanza: Stanza): void {
    const { latencyMs } = this.#deps.faults.current;
    if (latencyMs === 0 && !this.#outbox) {
      this.#write(stanza);
      return;
    }
    const due = Date.now() + latencyMs;
    const before = this.#outbox ?? Promise.resolve();
    const done = before.then(async () => {
      const wait = due - Date.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      this.#write(stanza);
      if (this.#outbox === done) this.#outbox = undefined;
    });
    this.#outbox = done;
  }

  finish(stanza: Stanza): void {
    this.send(stanza);
    const close = () => setTimeout(() => this.#socket.close(), GRACE_MS);
    if (this.#outbox) void this.#outbox.then(close);
    else close();
  }

  cut(): void {
    this.#socket.terminate();
  }

  #write(stanza: Stanza): void {
    if (!this.#transport || this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#deps.faults.current.mute) return;
    this.#log('out', stanza);
    this.#socket.send(frame(this.#transport.seal(encodeBinaryNode(stanza))));
  }

  #log(direction: 'in' | 'out', stanza: Stanza): void {
    const account = this.#session?.account.phone;
    const device = this.#session?.companion.id;
    const newest = this.#session?.companion.connection;
    if (newest !== undefined && newest !== this) this.#replaced = true;
    const current = !this.#replaced;
    const logged = { at: new Date(), direction, account, device, current, stanza };
    this.#deps.stanzas.add(logged);
    this.#deps.events.emit('stanza', logged);
  }

  #onData(data: Buffer): void {
    try {
      for (const body of this.#reader.push(data)) this.#onFrame(body);
    } catch (error) {
      this.#fail(error);
      this.cut();
    }
  }

  #onFrame(body: Buffer): void {
    if (this.#transport) {
      const plain = this.#transport.open(body);
      this.#inbox = this.#inbox
        .then(async () => this.#onStanza(await decodeBinaryNode(plain)))
        .catch((error: unknown) => this.#fail(error));
      return;
    }
    if (!this.#handshake) {
      const { certificates, serverKey } = this.#deps;
      this.#handshake = new Handshake(this.#reader.intro ?? body, serverKey, certificates);
      this.#socket.send(frame(this.#handshake.hello(body)));
      return;
    }
    const { noiseKey, payload, transport } = this.#handshake.finish(body);
    this.#transport = transport;
    this.#begin(payload, noiseKey);
  }

  #begin(payload: proto.ClientPayload, noiseKey: Buffer): void {
    const registration = payload.devicePairingData;
    if (registration) {
      this.#offerRefs({
        noiseKey,
        registration,
        send: (stanza) => this.send(stanza),
        finish: (stanza) => this.finish(stanza),
        cut: () => this.cut(),
        signedIdentity: () => this.#signedIdentity.promise,
      });
      return;
    }
    const login = logIn(payload, noiseKey, this, this.#deps);
    if ('refusal' in login) this.finish(login.refusal);
    else this.#session = login.session;
  }

  #offerRefs(applicant: Applicant): void {
    this.#applicant = applicant;
    const refs = this.#deps.pairings
      .register(applicant)
      .map((ref) => node('ref', {}, Buffer.from(ref)));
    const attrs = { from: S_WHATSAPP_NET, type: 'set', id: randomHex(6), xmlns: 'md' };
    this.send(node('iq', attrs, [node('pair-device', {}, refs)]));
  }

  async #onStanza(stanza: Stanza): Promise<void> {
    this.#log('in', stanza);
    if (stanza.tag === 'iq') {
      this.#onIq(stanza);
      return;
    }
    const session = this.#session;
    if (this.#applicant && stanza.tag === 'ack') {
      this.#deps.pairings.passkeyOf(this.#applicant)?.onAck(stanza);
    }
    if (!session) return;
    switch (stanza.tag) {
      case 'message':
        routeMessage(stanza, session, this.#deps);
        break;
      case 'receipt':
        routeReceipt(stanza, session, this.#deps);
        break;
      case 'ack':
        routeAck(stanza, session);
        break;
      case 'ib':
        replayOffline(session, this.#deps, child(stanza, 'offline_batch'));
        break;
      case 'presence':
      case 'chatstate':
        this.#deps.events.emit('presence', { account: session.account, stanza });
        break;
      default:
        countUnknown(this.#deps, stanza.tag);
    }
  }

  #onIq(stanza: Stanza): void {
    const signed = child(stanza, 'pair-device-sign');
    if (signed) this.#signedIdentity.resolve(childBytes(signed, 'device-identity'));
    if (stanza.attrs.type === 'result' || stanza.attrs.type === 'error') return;
    const asker = {
      session: this.#session,
      applicant: this.#applicant,
      send: (answer: Stanza) => this.send(answer),
    };
    answerIq(stanza, asker, this.#deps).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#deps.events.emit('failure', error);
  }

  #onClose(): void {
    this.#signedIdentity.reject(new Error('the companion left while it was being linked'));
    if (this.#applicant) this.#deps.pairings.leave(this.#applicant);
    if (this.#session) logOut(this.#session, this, this.#deps);
  }
}
