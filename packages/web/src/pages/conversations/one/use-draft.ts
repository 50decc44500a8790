// What the owner is writing, kept in this browser until it was sent: a reload, a daemon that is gone and a closed tab
// lose nothing. The key goes with the words, so that the same words tried again never leave twice.
import { useLocalStorage } from '@mantine/hooks';

interface Draft {
  readonly text: string;
  /** Under which it was tried; null until then. */
  readonly key: string | null;
}

const NOTHING: Draft = { text: '', key: null };

export function useDraft(of: string) {
  const [draft, setDraft, forget] = useLocalStorage<Draft>({
    key: `relay-draft-${of}`,
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  return {
    text: draft.text,
    type: (text: string) => setDraft(text === '' ? NOTHING : { text, key: null }),
    /** The words as they are to be sent, under the key they keep until they change. */
    take() {
      const key = draft.key ?? crypto.randomUUID();
      setDraft({ ...draft, key });
      return { message: draft.text.trim(), key };
    },
    forget,
  };
}
