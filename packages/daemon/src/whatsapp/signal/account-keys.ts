// Stand-in until the ratchet's own implementation is merged: the same shape over plain keys.
import type { Log } from '@relay/core/log';
import type { WireStore, WireUnit } from '@relay/core/ports/wire-store';
import {
  type AuthenticationCreds,
  type BinaryNode,
  BufferJSON,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  unpadRandomMax16,
  type WASocket,
} from '@whiskeysockets/baileys';

export interface AccountKeys {
  config(): Pick<UserFacingSocketConfig, 'auth' | 'makeSignalRepository' | 'agent'>;
  attach(socket: WASocket): void;
  saveCredentials(update: Partial<AuthenticationCreds>): Promise<void>;
  readonly credentials: AuthenticationCreds;
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function openAccountKeys(
  store: WireStore,
  { onReceived }: { log: Log; onReceived?(): void },
): Promise<AccountKeys> {
  const stored = await store.credentials();
  const creds: AuthenticationCreds = stored
    ? JSON.parse(Buffer.from(stored).toString(), BufferJSON.reviver)
    : initAuthCreds();
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value, BufferJSON.replacer));
  const pending = new Set<Promise<void>>();
  const submit = (unit: WireUnit) => {
    const done = store.submit(unit);
    pending.add(done);
    done.then(
      () => pending.delete(done),
      () => pending.delete(done),
    );
    return done;
  };
  const stanzas = new WeakMap<Uint8Array, BinaryNode>();
  const receive = async (ciphertext: Uint8Array, padded: Uint8Array) => {
    const stanza = stanzas.get(ciphertext);
    if (!stanza || stanza.attrs.category === 'peer') return;
    const encs = (stanza.content as BinaryNode[]).filter(({ tag }) => tag === 'enc');
    if (encs.at(-1)?.content !== ciphertext) return;
    const { attrs } = stanza;
    await submit({
      inbox: [
        {
          chat: attrs.recipient ?? attrs.from ?? '',
          sender: attrs.participant ?? attrs.from ?? '',
          id: attrs.id ?? '',
          stanza: Buffer.from(
            JSON.stringify({ ...attrs, own: [creds.me?.id, creds.me?.lid].filter(Boolean) }),
          ),
          content: unpadRandomMax16(padded),
        },
      ],
    });
    onReceived?.();
  };
  return {
    credentials: creds,
    config: () => ({
      auth: {
        creds,
        keys: {
          get: async <Type extends keyof SignalDataTypeMap>(type: Type, ids: string[]) => {
            const rows = await store.read(
              1,
              ids.map((id) => `${type}/${id}`),
            );
            const found: Record<string, SignalDataTypeMap[Type]> = {};
            for (const id of ids) {
              const bytes = rows.get(`${type}/${id}`);
              if (!bytes) continue;
              const value = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver);
              found[id] =
                type === 'app-state-sync-key'
                  ? proto.Message.AppStateSyncKeyData.fromObject(value)
                  : value;
            }
            return found;
          },
          set: async (data) => {
            const keys = Object.entries(data).flatMap(([type, values]) =>
              Object.entries(values ?? {}).map(([id, value]) => ({
                kind: 1,
                id: `${type}/${id}`,
                value: value ? encode(value) : null,
              })),
            );
            await submit({ keys });
          },
        },
      },
      makeSignalRepository: (auth, logger, pn) => {
        const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, pn);
        const { decryptGroupMessage, decryptMessage } = repository;
        repository.decryptMessage = async (options) => {
          const plain = await decryptMessage(options);
          await receive(options.ciphertext, plain);
          return plain;
        };
        repository.decryptGroupMessage = async (options) => {
          const plain = await decryptGroupMessage(options);
          await receive(options.msg, plain);
          return plain;
        };
        return repository;
      },
    }),
    attach: (socket) => {
      socket.ws.prependListener('CB:message', (stanza: BinaryNode) => {
        for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
          if (content instanceof Uint8Array) stanzas.set(content, stanza);
        }
      });
    },
    saveCredentials: async (update) => {
      Object.assign(creds, update);
      await submit({ credentials: encode(creds) });
    },
    settled: async () => {
      await Promise.all(pending);
    },
    close: async () => undefined,
  };
}
