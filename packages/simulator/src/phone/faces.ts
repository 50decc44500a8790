// Who a visitor of the phone page may be, and what each of them sees: the chat as it is on their phone, with ticks,
// and whether somebody is typing there.
// Invariant: it shows what the simulated phones hold and keeps nothing of its own but who is typing.
import type { Network } from '../whatsapp/network.ts';
import type { Account } from '../whatsapp/people/account.ts';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';

export interface Face {
  readonly id: string;
  readonly name: string;
  /** Who this is to the owner, in a few words. */
  readonly about: string;
  /** What happens when one writes here, in one sentence. */
  readonly hint: string;
  /** Things to say, one press each, by one of the writers. */
  readonly tries: readonly { readonly text: string; readonly as?: string }[];
  /** Whose phone is looked at. */
  readonly phone: string;
  /** The number at the other end, or the address of a group. */
  readonly chat: string;
  /** What stands above the chat. */
  readonly title: string;
  /** Who may write; the first unless another is chosen. */
  readonly writers: readonly { readonly phone: string; readonly name: string }[];
}

export interface MessageView {
  readonly id: string;
  readonly from: string;
  readonly name: string;
  readonly text: string;
  readonly at: string;
  readonly status: string;
}

export interface FaceView extends Face {
  readonly typing: boolean;
  readonly messages: readonly MessageView[];
}

const MOST_SHOWN = 200;

export function viewOf(network: Network, face: Face, typing: boolean): FaceView {
  const phone = personAt(network, face.phone);
  const names = new Map(face.writers.map((writer) => [writer.phone, writer.name]));
  const messages = phone
    .messages({ with: face.chat })
    .filter(({ text }) => text !== undefined)
    .slice(-MOST_SHOWN)
    .map((message) => messageView(network, face, message, names));
  return { ...face, typing, messages };
}

function messageView(
  network: Network,
  { chat, phone }: Face,
  { id, from, text = '', at, status }: SeenMessage,
  names: ReadonlyMap<string, string>,
): MessageView {
  const author = network.account(from);
  // In a group the ticks of what another one wrote are on that one's phone.
  const apart = from === phone || !chat.includes('@') ? undefined : author;
  const own = apart?.messages({ with: chat }).find((one) => one.id === id);
  return {
    id,
    from,
    name: names.get(from) ?? author?.name ?? from,
    text,
    at: at.toISOString(),
    status: own?.status ?? status,
  };
}

export function personAt(network: Network, phone: string): Account {
  const person = network.account(phone);
  if (person === undefined) throw new Error(`nobody on this network is ${phone}`);
  return person;
}
