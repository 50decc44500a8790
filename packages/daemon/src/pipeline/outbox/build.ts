// Builds messages that are more than text, once, before their first attempt: the file is uploaded, and what the socket
// will send is stored sealed in the row. Every attempt, and every device that asks for the message again, gets the same
// bytes.
import type { AccountId, MediaId, MessageId } from '@relay/contract/ids';
import { builtMessageName, type Sealer } from '@relay/core/ports/sealer';
import {
  type ContentToBuild,
  type MessageTarget,
  SendFault,
  type Transport,
} from '@relay/core/ports/transport';
import type { ReadyRow } from './claim.ts';
import { quoteOf } from './outbox.ts';

export interface OutgoingBuilder {
  /** Uploads the content and returns what was built, sealed. Rejects like the transport's `build`. */
  build(row: ReadyRow): Promise<Uint8Array>;
  /** What was built; null for plain text. */
  open(row: BuiltRow): Uint8Array | null;
}

interface BuiltRow {
  readonly message_id: MessageId;
  readonly wire: Uint8Array | null;
}

interface BuilderOptions {
  readonly account: AccountId;
  readonly sealer: Sealer;
  readonly transport: Pick<Transport, 'capabilities'>;
  /** The plain bytes of stored media. */
  readonly openFile: (media: MediaId) => AsyncIterable<Uint8Array>;
}

export const createBuilder = ({
  account,
  sealer,
  transport,
  openFile,
}: BuilderOptions): OutgoingBuilder => ({
  async build(row) {
    const { build } = transport.capabilities;
    if (build === undefined) {
      throw new SendFault('not_sent', 'Only text can be sent over this connection.');
    }
    const built = await build({
      chat: row.address ?? '',
      text: row.body,
      ...quoteOf(row.quoted),
      content: toBuild(row, openFile),
    });
    return sealer.seal(builtMessageName(account, row.message_id), built);
  },
  open: openBuiltMessage(sealer, account),
});

/** Opens what was built of a row's content. */
export const openBuiltMessage =
  (sealer: Sealer, account: AccountId): OutgoingBuilder['open'] =>
  ({ message_id: id, wire }) => {
    if (wire === null) return null;
    try {
      return sealer.open(builtMessageName(account, id), wire);
    } catch {
      throw new SendFault('not_sent', 'What was built of this message cannot be opened.');
    }
  };

function toBuild(
  { content, target }: ReadyRow,
  openFile: BuilderOptions['openFile'],
): ContentToBuild {
  switch (content?.kind) {
    case 'media': {
      const { media, ...file } = content;
      return { ...file, open: () => openFile(media as MediaId) };
    }
    case 'reaction':
      return { kind: 'reaction', emoji: content.emoji, target: targetOf(target, content.to) };
    case 'edit':
    case 'delete':
      return { kind: content.kind, target: targetOf(target, content.of) };
    case 'poll':
    case 'location':
      return content;
    default:
      throw new SendFault('not_sent', 'There is nothing to build.');
  }
}

/** Without its author, a message cannot be named to WhatsApp. */
function targetOf(target: ReadyRow['target'], id: string): MessageTarget {
  if (target === null || target.id !== id || (!target.from_me && target.author === null)) {
    throw new SendFault('not_sent', 'The message that this is about is not kept.');
  }
  return { id: target.id, author: target.from_me ? null : target.author };
}
