// A phone's answer when a companion asks for a file whose link has expired: it uploads the file again and sends the new
// link, encrypted with a key that only holders of the media key can derive. Invariant: the link is sent only for the
// message that the encrypted request names.
import { randomBytes } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, hkdf, proto } from '@whiskeysockets/baileys';
import type { MediaRetryFault } from '../faults.ts';
import { mediaPartOf } from '../media.ts';
import type { MediaHosts } from '../media-hosts.ts';
import { attr, child, childBytes, node, notification, type Stanza } from '../wire/nodes.ts';

const { ResultType } = proto.MediaRetryNotification;
const CODES: Partial<Record<MediaRetryFault, number>> = {
  general_error: ResultType.GENERAL_ERROR,
  not_found: ResultType.NOT_FOUND,
  decryption_error: ResultType.DECRYPTION_ERROR,
};

export function answerMediaRetry(
  request: Stanza,
  content: proto.IMessage | undefined,
  store: MediaHosts,
  fault: MediaRetryFault | undefined,
): Stanza | undefined {
  if (fault === 'ignored') return undefined;
  const id = attr(request, 'id');
  const answer = (body: Stanza): Stanza => {
    const rmr = child(request, 'rmr');
    return notification('mediaretry', [...(rmr ? [rmr] : []), body], { id });
  };
  const refuse = (code: number) => answer(node('error', { code: String(code) }));
  const code = fault && CODES[fault];
  if (code !== undefined) return refuse(code);
  const { directPath, mediaKey } = (content && mediaPartOf(content)?.fields) ?? {};
  const stored = directPath ? store.republish(directPath) : undefined;
  if (!mediaKey || !stored) return refuse(ResultType.NOT_FOUND);
  const key = Buffer.from(hkdf(mediaKey, 32, { info: 'WhatsApp Media Retry Notification' }));
  if (requestedId(request, key, id) !== id) return refuse(ResultType.DECRYPTION_ERROR);
  const iv = randomBytes(12);
  const result = proto.MediaRetryNotification.encode({
    stanzaId: id,
    directPath: stored.directPath,
    result: ResultType.SUCCESS,
  }).finish();
  const sealed = aesEncryptGCM(result, key, iv, Buffer.from(id));
  if (fault === 'altered') sealed.writeUInt8(sealed.readUInt8(0) ^ 0xff, 0);
  return answer(node('encrypt', {}, [node('enc_p', {}, sealed), node('enc_iv', {}, iv)]));
}

function requestedId(request: Stanza, key: Buffer, id: string): string | null | undefined {
  const sealed = child(request, 'encrypt');
  if (!sealed) return undefined;
  try {
    const iv = childBytes(sealed, 'enc_iv');
    const plain = aesDecryptGCM(childBytes(sealed, 'enc_p'), key, iv, Buffer.from(id));
    return proto.ServerErrorReceipt.decode(plain).stanzaId;
  } catch {
    return undefined;
  }
}
