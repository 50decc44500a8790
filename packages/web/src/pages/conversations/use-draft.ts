// The draft of a new conversation, kept in this tab: it survives a reload, a closed form and a daemon that is away, and
// goes when the conversation is created or the owner throws it away.
import { useCallback, useState } from 'react';
import { BLANK, type Draft, fromTemplate, readDraft } from './draft.ts';
import { templateOf } from './templates.ts';

const PLACE = 'relay-new-conversation';

const keep = (draft: Draft | null): void => {
  if (draft === null) sessionStorage.removeItem(PLACE);
  else sessionStorage.setItem(PLACE, JSON.stringify(draft));
};

export interface KeptDraft {
  readonly draft: Draft;
  change(by: Partial<Draft>): void;
  forget(): void;
}

/** What was kept goes before what the address asks for. */
export function useDraft(template: string): KeptDraft {
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(sessionStorage.getItem(PLACE)) ?? fromTemplate(templateOf(template), BLANK),
  );
  const change = useCallback((by: Partial<Draft>) => {
    setDraft((before) => {
      const next = { ...before, ...by };
      keep(next);
      return next;
    });
  }, []);
  const forget = useCallback(() => {
    keep(null);
    setDraft(BLANK);
  }, []);
  return { draft, change, forget };
}
