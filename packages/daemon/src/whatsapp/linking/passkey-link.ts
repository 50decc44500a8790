// Carries the linking with WhatsApp's passkey over a Baileys socket, which does not know it: WhatsApp asks, the owner
// answers, and four queries later the phone links this device as usual.
// Invariant: the new secret is durable before anything is sent, no step is tried twice, and whatever is unexpected,
// refused or late ends the attempt in one state that names it.
import { randomUUID } from 'node:crypto';
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import type { ConnectionState } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { LinkMethod, LinkPasskeyRequest } from '@relay/core/ports/transport';
import {
  type BinaryNode,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isLinked } from '../account.ts';
import type { LinkBoard } from '../link.ts';
import type { AccountKeys } from '../signal/account-keys.ts';
import { PLATFORM_TYPE, type TransportTimings } from '../socket.ts';
import {
  findAssertionFault,
  PasskeyCeremony,
  type Prologue,
  parsePasskeyOptions,
  UnexpectedStep,
} from './passkey-ceremony.ts';

type StopState = Extract<
  ConnectionState,
  'passkey_required' | 'passkey_refused' | 'passkey_failed'
>;

interface PasskeyLinkDeps {
  readonly socket: WASocket;
  readonly keys: AccountKeys;
  readonly board: LinkBoard;
  readonly method: LinkMethod;
  readonly now: () => Date;
  readonly timings: TransportTimings;
  readonly log: Log;
  /** Ends the connection in this state. */
  readonly onStop: (state: StopState) => void;
}

interface Attempt {
  readonly ceremony: PasskeyCeremony;
  readonly request: LinkPasskeyRequest;
}

/** WhatsApp answered a query with an error. */
class Refusal extends Error {}

export class PasskeyLink {
  readonly #deps: PasskeyLinkDeps;
  #stage: 'idle' | 'asked' | 'answered' | 'continued' | 'over' = 'idle';
  #attempt: Attempt | undefined;
  /** The steps in order; a notification may arrive before the answer to the query that caused it. */
  #steps: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: PasskeyLinkDeps) {
    this.#deps = deps;
    const { ws } = deps.socket;
    ws.on('CB:notification,type:passkey_prologue_request', (stanza: BinaryNode) => {
      if (this.#concerns(stanza)) this.#run(() => this.#onRequest(stanza), stanza);
    });
    ws.on('CB:notification,type:crsc_continuation', (stanza: BinaryNode) => {
      if (this.#concerns(stanza)) this.#run(() => this.#onContinuation(stanza), stanza);
    });
  }

  /** Whether WhatsApp has asked: from then on a code does not help, and a lost connection ends the attempt. */
  get isActive(): boolean {
    return this.#stage !== 'idle';
  }

  /** The state to stop in when the connection closes before the device is linked. */
  get stateIfClosed(): StopState {
    return this.#stage === 'asked' ? 'passkey_required' : 'passkey_failed';
  }

  answer({ assertion, attempt }: LinkPasskeyAnswer): void {
    if (this.#attempt === undefined) throw new RelayError('link_passkey_not_asked');
    const { ceremony, request } = this.#attempt;
    if (this.#stage !== 'asked' || request.attempt !== attempt) {
      throw new RelayError('link_passkey_outdated');
    }
    const why = findAssertionFault(assertion, ceremony.options);
    if (why !== null) throw new RelayError('link_passkey_invalid', { why });
    this.#stage = 'answered';
    this.#deps.board.setState('passkey_sent', { passkey: request });
    this.#stopAfter(this.#deps.timings.passkeyStepMs, 'passkey_failed');
    this.#run(async () => {
      const ref = await this.#ask('get', { tag: 'ref', attrs: {} });
      await this.#ask('set', prologueNode(ceremony.answer(assertion, bytesOf(ref, 'ref'))));
    });
  }

  /** Nobody but the server may start or continue this, and only while the device is not linked. */
  #concerns({ attrs }: BinaryNode): boolean {
    return SERVER.includes(attrs.from ?? '') && !isLinked(this.#deps.keys.credentials);
  }

  /** The phone has linked the device, or the connection is gone. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.isActive) this.#stage = 'over';
    this.#attempt = undefined;
  }

  async #onRequest(stanza: BinaryNode): Promise<void> {
    const { board, keys, method, now, timings } = this.#deps;
    const options = parsePasskeyOptions(bytesOf(stanza, 'passkey_request_options'));
    if (this.#attempt?.ceremony.options.challenge === options.challenge) return;
    if (this.#stage !== 'idle') throw new UnexpectedStep('a second passkey request');
    this.#stage = 'asked';
    const codeSecret = Buffer.from(keys.credentials.advSecretKey, 'base64');
    const ceremony = new PasskeyCeremony({ options, codeSecret, deviceType: PLATFORM_TYPE });
    await keys.saveCredentials({ advSecretKey: ceremony.advSecret.toString('base64') });
    const waitMs = Math.min(timings.passkeyMs, options.timeout ?? timings.passkeyMs);
    const request: LinkPasskeyRequest = {
      attempt: randomUUID(),
      phone: method.kind === 'code' ? method.phone : null,
      options,
      expiresAt: new Date(now().getTime() + waitMs),
      code: null,
    };
    this.#attempt = { ceremony, request };
    this.#stopAfter(waitMs, 'passkey_required');
    board.setState('passkey_requested', { passkey: request });
  }

  async #onContinuation(stanza: BinaryNode): Promise<void> {
    const { board, keys, timings } = this.#deps;
    if (this.#stage !== 'answered' || this.#attempt === undefined) {
      throw new UnexpectedStep('a continuation that nothing was sent for');
    }
    const { ceremony, request } = this.#attempt;
    this.#stage = 'continued';
    const identity = bytesOf(stanza, 'primary_ephemeral_identity');
    const { code, companionNonce } = ceremony.reveal(identity);
    board.setFacts({ passkey: { ...request, code } });
    this.#stopAfter(timings.passkeyStepMs, 'passkey_failed');
    await this.#ask('set', { tag: 'companion_nonce', attrs: {}, content: companionNonce });
    const { noiseKey, signedIdentityKey } = keys.credentials;
    const sealed = ceremony.seal({
      noiseKey: noiseKey.public,
      identityKey: signedIdentityKey.public,
    });
    await this.#ask('set', { tag: 'encrypted_pairing_request', attrs: {}, content: sealed });
  }

  /** The first step begins at once, so that its secret is submitted before Baileys acknowledges the stanza. */
  #run(step: () => Promise<void>, stanza?: BinaryNode): void {
    const take = async () => {
      if (this.#stage === 'over') return;
      try {
        await step();
        if (stanza !== undefined) await this.#acknowledge(stanza);
      } catch (error) {
        this.#stop(error instanceof Refusal ? 'passkey_refused' : 'passkey_failed', error);
      }
    };
    this.#steps = this.#stage === 'idle' ? take() : this.#steps.then(take);
  }

  /** Baileys acknowledges notifications in the name of the account, which it does not know after a QR code. */
  async #acknowledge({ attrs }: BinaryNode): Promise<void> {
    const { keys, socket } = this.#deps;
    if (keys.credentials.me !== undefined) return;
    const { from = S_WHATSAPP_NET, id = '', type = '' } = attrs;
    await socket.sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } });
  }

  async #ask(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const { socket, timings } = this.#deps;
    const attrs = { to: S_WHATSAPP_NET, type, xmlns: 'md' };
    const question: BinaryNode = { tag: 'iq', attrs, content: [content] };
    const asked = socket.query(question, timings.queryMs).catch((error: unknown) => {
      throw isRefusal(error) ? new Refusal(content.tag, { cause: error }) : error;
    });
    // Baileys answers a query that timed out with nothing.
    const answer: BinaryNode | undefined = await asked;
    if (answer === undefined) throw new UnexpectedStep(`no answer to ${content.tag}`);
    return answer;
  }

  #stopAfter(ms: number, state: StopState): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stop(state), ms);
  }

  #stop(state: StopState, error?: unknown): void {
    if (this.#stage === 'over') return;
    this.end();
    this.#stage = 'over';
    const reason = error instanceof UnexpectedStep ? { reason: error.message } : {};
    this.#deps.log.warn('linking with WhatsApp’s passkey stopped', { state, ...reason });
    this.#deps.onStop(state);
  }
}

const SERVER = [S_WHATSAPP_NET, S_WHATSAPP_NET.slice(1)];

/** Baileys keeps the code of the server's error as the data of its own; a lost connection has none. */
const isRefusal = (error: unknown): boolean =>
  typeof (error as { data?: unknown } | null)?.data === 'number';

/** The bytes of the one child with this name. */
function bytesOf(stanza: BinaryNode, tag: string): Uint8Array {
  const [found, another] = getBinaryNodeChildren(stanza, tag);
  const content = found?.content;
  if (another !== undefined || content === undefined || Array.isArray(content)) {
    throw new UnexpectedStep(`${tag} is missing`);
  }
  return typeof content === 'string' ? Buffer.from(content) : content;
}

const prologueNode = (prologue: Prologue): BinaryNode => {
  const child = (tag: string, content: Buffer): BinaryNode => ({ tag, attrs: {}, content });
  return {
    tag: 'passkey_prologue',
    attrs: {},
    content: [
      child('credential_id', prologue.credentialId),
      child('webauthn_assertion', prologue.assertion),
      child('prologue_payload', prologue.payload),
      child('pairing_handoff_proof', prologue.handoffProof),
    ],
  };
};

/**
 * Baileys ends the connection when WhatsApp's series of codes is used up, also after one was used. Copies of the last
 * one keep it open while the owner looks for their passkey; returns whether a code is such a copy.
 */
export function extendCodeSeries(socket: WASocket, times: number): (offered: number) => boolean {
  let real = Number.POSITIVE_INFINITY;
  socket.ws.prependListener('CB:iq,type:set,pair-device', (stanza: BinaryNode) => {
    // Baileys' own functions remember the children of a stanza, so they must not see it before.
    const series = childrenOf(stanza).find(({ tag }) => tag === 'pair-device');
    const refs = childrenOf(series).filter(({ tag }) => tag === 'ref');
    const last = refs.at(-1);
    if (series === undefined || last === undefined) return;
    real = refs.length;
    series.content = [...childrenOf(series), ...Array<BinaryNode>(times).fill(last)];
  });
  return (offered) => offered > real;
}

const childrenOf = (stanza: BinaryNode | undefined): BinaryNode[] =>
  Array.isArray(stanza?.content) ? stanza.content : [];
