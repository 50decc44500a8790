// Creates the conversation of a draft, once: whoever sends the same draft again, because no answer came, names it by
// the same key and gets the answer of the first.
import type { CreateInstanceResponse } from '@relay/core/api/instances';
import { RelayApiError } from '@relay/core/client/api-error';
import { useRef } from 'react';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { type Draft, requestOf } from './draft.ts';

export function useCreate(onCreated: (made: CreateInstanceResponse) => void) {
  const named = useRef({ body: '', key: '' });
  const act = useAct({
    act: (draft: Draft) => {
      const body = requestOf(draft);
      const text = JSON.stringify(body);
      if (named.current.body !== text) named.current = { body: text, key: crypto.randomUUID() };
      return relay.post('/api/instances', {
        body,
        header: { 'idempotency-key': named.current.key },
      });
    },
    touches: ['instances', 'contacts', 'status'],
    quiet: true,
    onDone: onCreated,
  });
  return { ...act, code: act.error instanceof RelayApiError ? act.error.code : undefined };
}
