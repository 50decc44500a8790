// The simulated WhatsApp network: the entry point for tests. Its clients need only the URL and the trusted root.
// Invariant: it listens only on 127.0.0.1, and after `close` nothing of it runs. It is faithful to what Baileys
// 7.0.0-rc14 reads; nothing was compared with the live service.
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { type LoggedStanza, type NetworkEvents, StanzaLog } from './events.ts';
import { Faults } from './faults.ts';
import { MediaHosts } from './media-hosts.ts';
import { PendingPairings } from './pairing.ts';
import { type NewSimulatedAccount, SimulatedAccount } from './people/account.ts';
import { Directory } from './people/directory.ts';
import { GroupChat, type NewGroupChat } from './people/group.ts';
import type { DeliveryCounts } from './people/mailbox.ts';
import { ClientConnection } from './server/connection.ts';
import type { NetworkContext } from './server/context.ts';
import { muteLibsignal } from './signal/endpoint.ts';
import { keyPairFromLabel } from './wire/keys.ts';
import { certificateChain } from './wire/trust.ts';

const HOST = '127.0.0.1';

interface NetworkOptions {
  /** 0 takes any free port. */
  port?: number;
  /** The clock for message timestamps; defaults to the machine's. */
  now?: () => Date;
}

export async function createNetwork({
  port = 0,
  now = () => new Date(),
}: NetworkOptions = {}): Promise<Network> {
  muteLibsignal();
  const faults = new Faults();
  const media = new MediaHosts(faults);
  await media.listen();
  const server = new WebSocketServer({ port, host: HOST, perMessageDeflate: false });
  await once(server, 'listening');
  return new Network(server, media, faults, now);
}

export class Network {
  readonly url: string;
  readonly events = new EventEmitter<NetworkEvents>();
  readonly faults: Faults;
  readonly media: MediaHosts;
  /** Errors inside the simulator; empty unless it has a bug or a client broke the protocol. */
  readonly failures: unknown[] = [];
  /** Connections opened by clients so far, including failed ones. */
  connections = 0;
  readonly #server: WebSocketServer;
  readonly #deps: NetworkContext;

  constructor(server: WebSocketServer, media: MediaHosts, faults: Faults, now: () => Date) {
    const serverKey = keyPairFromLabel('server');
    this.faults = faults;
    this.media = media;
    this.#server = server;
    this.url = `ws://${HOST}:${(server.address() as AddressInfo).port}/ws/chat`;
    this.#deps = {
      directory: new Directory<SimulatedAccount, GroupChat>(),
      faults: this.faults,
      events: this.events,
      pairings: new PendingPairings(),
      media,
      serverKey,
      certificates: certificateChain(serverKey.public),
      stanzas: new StanzaLog(),
      now,
      unknown: new Map(),
    };
    this.events.setMaxListeners(0);
    this.events.on('failure', (error) => this.failures.push(error));
    server.on('connection', (socket) => {
      this.connections += 1;
      new ClientConnection(this.#deps, socket);
    });
  }

  addAccount(account: NewSimulatedAccount): SimulatedAccount {
    const person = new SimulatedAccount(this.#deps, account);
    this.#deps.directory.addPerson(person);
    return person;
  }

  account(phone: string): SimulatedAccount | undefined {
    return this.#deps.directory.byPhone(phone);
  }

  createGroup(group: NewGroupChat): GroupChat {
    const made = new GroupChat(group);
    this.#deps.directory.addGroup(made);
    made.announce();
    return made;
  }

  group(jid: string): GroupChat | undefined {
    return this.#deps.directory.group(jid);
  }

  /** The latest stanzas that crossed the server, oldest first. */
  get stanzas(): LoggedStanza[] {
    return this.#deps.stanzas.all();
  }

  /** Requests from clients that the simulator does not know. */
  get unknown(): ReadonlyMap<string, number> {
    return this.#deps.unknown;
  }

  /** Number of encrypted files in the media store. */
  get storedMedia(): number {
    return this.#deps.media.size;
  }

  /** Totals over all simulated recipients. */
  counts(): DeliveryCounts {
    const total = { distinct: 0, duplicates: 0, undecryptable: 0 };
    for (const person of this.#deps.directory.people()) {
      const { distinct, duplicates, undecryptable } = person.counts();
      total.distinct += distinct;
      total.duplicates += duplicates;
      total.undecryptable += undecryptable;
    }
    return total;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#server.clients) socket.terminate();
    await Promise.all([closed, this.#deps.media.close()]);
  }
}
