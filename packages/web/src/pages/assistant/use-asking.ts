// The one question of this tab, as components see it. What it changed is asked for again when it ends.
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { relay } from '../../data/relay.ts';
import type { Noun } from '../../data/touched.ts';
import { type Asking, createAsking } from './asking.ts';
import type { Turn } from './turn.ts';

let asking: Asking | null = null;

const TOUCHED = ['assistant', 'approvals', 'status', 'schedules'] as const satisfies Noun[];

export function useAsking(): Asking & { readonly turn: Turn | null } {
  const queries = useQueryClient();
  asking ??= createAsking(relay.ask, () => {
    for (const noun of TOUCHED) void queries.invalidateQueries({ queryKey: [noun] });
  });
  const { get, subscribe } = asking;
  return { ...asking, turn: useSyncExternalStore(subscribe, get) };
}
