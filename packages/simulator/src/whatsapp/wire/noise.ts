// The server's half of Noise_XX_25519_AESGCM_SHA256: hello, finish, then an encrypted transport. Invariant: the
// handshake hash covers intro, keys and ciphertexts in the order the client mixes them.
import { createHash, hkdfSync } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, Curve, type KeyPair, proto } from '@whiskeysockets/baileys';

const MODE = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const EMPTY = Buffer.alloc(0);

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}

function required(bytes: Uint8Array | null | undefined, what: string): Buffer {
  if (!bytes) throw new Error(`the handshake lacks ${what}`);
  return Buffer.from(bytes);
}

/** The two encrypted directions after the handshake. */
export class NoiseTransport {
  #sent = 0;
  #received = 0;
  readonly #sendKey: Buffer;
  readonly #receiveKey: Buffer;

  constructor(sendKey: Buffer, receiveKey: Buffer) {
    this.#sendKey = sendKey;
    this.#receiveKey = receiveKey;
  }

  seal(plain: Uint8Array): Buffer {
    return aesEncryptGCM(plain, this.#sendKey, nonce(this.#sent++), EMPTY);
  }

  open(sealed: Uint8Array): Buffer {
    return aesDecryptGCM(sealed, this.#receiveKey, nonce(this.#received++), EMPTY);
  }
}

export class Handshake {
  #hash: Buffer = MODE;
  #salt: Buffer = MODE;
  #key: Buffer = MODE;
  #counter = 0;
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #serverKey: KeyPair;
  readonly #certificates: Uint8Array;

  constructor(intro: Uint8Array, serverKey: KeyPair, certificates: Uint8Array) {
    this.#serverKey = serverKey;
    this.#certificates = certificates;
    this.#mixHash(intro);
  }

  /** Takes the client's ephemeral key; returns the server's key and certificates. */
  hello(message: Uint8Array): Uint8Array {
    const { clientHello } = proto.HandshakeMessage.decode(message);
    const clientEphemeral = required(clientHello?.ephemeral, 'the ephemeral key');
    this.#mixHash(clientEphemeral);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientEphemeral));
    const sealedKey = this.#seal(this.#serverKey.public);
    this.#mixKey(Curve.sharedKey(this.#serverKey.private, clientEphemeral));
    const payload = this.#seal(this.#certificates);
    return proto.HandshakeMessage.encode({
      serverHello: { ephemeral: this.#ephemeral.public, static: sealedKey, payload },
    }).finish();
  }

  /** Returns the client's static key and its claimed identity. */
  finish(message: Uint8Array): {
    noiseKey: Buffer;
    payload: proto.ClientPayload;
    transport: NoiseTransport;
  } {
    const { clientFinish } = proto.HandshakeMessage.decode(message);
    const noiseKey = this.#open(required(clientFinish?.static, 'the static key'));
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, noiseKey));
    const payload = this.#open(required(clientFinish?.payload, 'the payload'));
    const [receiveKey, sendKey] = this.#expand(EMPTY);
    return {
      noiseKey,
      payload: proto.ClientPayload.decode(payload),
      transport: new NoiseTransport(sendKey, receiveKey),
    };
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(data).digest();
  }

  #expand(input: Uint8Array): [Buffer, Buffer] {
    const bytes = Buffer.from(hkdfSync('sha256', input, this.#salt, EMPTY, 64));
    return [bytes.subarray(0, 32), bytes.subarray(32)];
  }

  #mixKey(input: Uint8Array): void {
    [this.#salt, this.#key] = this.#expand(input);
    this.#counter = 0;
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(plain, this.#key, nonce(this.#counter++), this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = aesDecryptGCM(sealed, this.#key, nonce(this.#counter++), this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}
