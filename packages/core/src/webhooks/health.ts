// How Relay is, in one sentence for whoever watches over it. Pure; the sentences are those of the tables that
// `relay status` speaks from, and never somebody's words.
import { type ConnectionState, connectionSentence, statusOf } from '../connection/states.ts';
import { FREEZES, type FreezeCause, freezeSentence } from '../outbox/freeze.ts';
import { type RestartReport, reportSentence } from '../report/report.ts';
import type { Told } from './events.ts';
import { type Facts, needsPerson } from './told.ts';

type Health = Told<'health'>;

const BY_WHAT: Readonly<Record<Health['what'], (facts: Facts) => Omit<Health, 'what'> | null>> = {
  whatsapp: (facts) => {
    const state = facts.state as ConnectionState;
    return {
      ok: statusOf(state) === 'connected',
      needs_you: needsPerson(state),
      sentence: connectionSentence(state),
    };
  },
  sending: ({ cause, until }) => {
    const frozen = String(cause);
    if (!(frozen in FREEZES)) return null;
    const freeze = { cause: frozen as FreezeCause, until: new Date(String(until)), strikes: 1 };
    return { ok: false, needs_you: false, sentence: freezeSentence(freeze) };
  },
  message: () => ({
    ok: false,
    needs_you: true,
    sentence:
      'It is not known whether a message arrived. Look at the chat on your phone before you send it again.',
  }),
  hold: ({ on }) => ({
    ok: on !== true,
    needs_you: false,
    sentence: on === true ? 'All sending is held.' : 'Sending goes on.',
  }),
  daemon: (facts) => {
    const report = facts as unknown as RestartReport;
    return { ok: true, needs_you: report.needsYou > 0, sentence: reportSentence(report) };
  },
};

export function healthOf(facts: Facts): Health | null {
  const what = facts.what as Health['what'];
  const health = BY_WHAT[what]?.(facts) ?? null;
  return health && { what, ...health };
}
