// Keeps people in conversation: a contact without an open conversation gets the next one, requested until it exists.
// Invariant: a conversation is requested again only when Relay says that none of that name exists.
import type { ConversationInstance } from '@relay/contract/api/instances';
import { isTerminal } from '@relay/contract/conversation/states';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { People } from '@relay/testing/dialogue/people';
import {
  conversationRequest,
  type Dialogue,
  type Manner,
  objectiveOf,
  RESULT_SCHEMA,
} from '@relay/testing/dialogue/script';
import type { Demo } from '@relay/testing/e2e/demo';
import { OWNER } from './harness.ts';

const SIZE = 8;
const MANNERS: readonly Manner[] = ['talks', 'nudged', 'talks', 'silent', 'talks'];

interface Place {
  readonly account: SimulatedAccount;
  dialogue: Dialogue | null;
  /** Null until Relay has confirmed it. */
  id: string | null;
}

export class Company {
  readonly people: People;
  /** All that were ever started. */
  readonly dialogues: Dialogue[] = [];
  readonly #demo: Demo;
  readonly #places: Place[];

  constructor(demo: Demo) {
    const { network } = demo.simulator;
    const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
    this.#demo = demo;
    this.people = new People({ network, owner });
    this.#places = Array.from({ length: SIZE }, (_, n) => ({
      account: network.addAccount({ phone: `1555000010${n}`, name: `Person ${n}` }),
      dialogue: null,
      id: null,
    }));
  }

  get open(): number {
    return this.#places.filter(({ dialogue }) => dialogue !== null).length;
  }

  /** One pass: removes ended conversations and starts new ones in their place. */
  async tend({ begin }: { begin: boolean }): Promise<void> {
    this.people.check();
    for (const place of this.#places) {
      if (place.dialogue !== null) await this.#pursue(place, place.dialogue);
      else if (begin) this.#begin(place);
    }
  }

  #begin(place: Place): void {
    const n = this.dialogues.length + 1;
    const manner = MANNERS[n % MANNERS.length] ?? 'talks';
    const dialogue: Dialogue = { name: `c${n}`, manner, atOnce: n % 4 === 0 };
    this.dialogues.push(dialogue);
    this.people.join(dialogue, place.account);
    place.dialogue = dialogue;
    place.id = null;
  }

  async #pursue(place: Place, dialogue: Dialogue): Promise<void> {
    place.id ??= await this.#askFor(dialogue, place.account.phone);
    if (!this.people.hasSeenAll(dialogue)) return;
    const path = `/api/instances/${place.id}`;
    const { state } = await this.#demo.relay.ok<ConversationInstance>('GET', path);
    if (isTerminal(state)) place.dialogue = null;
  }

  async #askFor(dialogue: Dialogue, phone: string): Promise<string> {
    const { relay } = this.#demo;
    const made = await relay.ok<ConversationInstance[]>('GET', '/api/instances?limit=100');
    const there = made.find(({ objective }) => objective === objectiveOf(dialogue));
    const wish = { ...conversationRequest(dialogue, phone), result_schema: RESULT_SCHEMA };
    return (there ?? (await relay.ok<{ id: string }>('POST', '/api/instances', wish))).id;
  }
}
