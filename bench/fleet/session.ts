// A linked session of bare Baileys, with its keys as JSON: linked in one process, used in another.
import {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  initAuthCreds,
  type SignalDataTypeMap,
} from '@whiskeysockets/baileys';

export interface StoredSession {
  readonly creds: string;
  readonly keys: Readonly<Record<string, string>>;
}

export interface BareSession extends AuthenticationState {
  store(): StoredSession;
}

/** Without a stored one, a session that is to be linked. */
export function openSession(stored?: StoredSession): BareSession {
  const kept = new Map(Object.entries(stored?.keys ?? {}));
  const creds: AuthenticationCreds =
    stored === undefined ? initAuthCreds() : JSON.parse(stored.creds, BufferJSON.reviver);
  return {
    creds,
    store: () => ({
      creds: JSON.stringify(creds, BufferJSON.replacer),
      keys: Object.fromEntries(kept),
    }),
    keys: {
      get: async <Type extends keyof SignalDataTypeMap>(type: Type, ids: string[]) => {
        const found: Record<string, SignalDataTypeMap[Type]> = {};
        for (const id of ids) {
          const text = kept.get(`${type}/${id}`);
          if (text !== undefined) found[id] = JSON.parse(text, BufferJSON.reviver);
        }
        return found;
      },
      set: async (data) => {
        for (const [type, values] of Object.entries(data)) {
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value) kept.set(`${type}/${id}`, JSON.stringify(value, BufferJSON.replacer));
            else kept.delete(`${type}/${id}`);
          }
        }
      },
    },
  };
}
