// Checks whether a sentence is true: its claim about an answer against what the phones and the model saw, and its
// reason against the grants.
import type { MessageExplanation } from '@relay/contract/api/ledger';
import { objectiveWith, type Person, type Role } from './cast.ts';
import type { SentMail } from './mail.ts';

export interface Truth {
  /** What a phone received from the owner's account, by id. */
  received(phone: string): ReadonlyMap<string, string>;
  /** Words that the model was shown. */
  readonly shown: ReadonlySet<string>;
}

export function faultsOf(sent: SentMail, why: MessageExplanation, truth: Truth): string[] {
  const { sentence } = why;
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds)
      faults.push(
        `${what}: ${sent.kind} of ${sent.person?.name ?? 'the owner'} (${sent.id}): ${sentence}`,
      );
  };
  must(/^\p{Lu}[^\n]*[^.\s]\.$/u.test(sentence) && !/[.!?] /.test(sentence), 'not one sentence');
  must(expected(sent).test(sentence), `not what was expected (${expected(sent)})`);

  const got = truth.received(sent.answered);
  const { token } = sent;
  const answers = [...got].filter(
    ([, text]) => token !== null && new RegExp(`\\bre ${token}\\b`).test(text),
  );
  const claims = claimed(sentence);
  if (token !== null) must(answers.length > 0 === claims.answered, 'answered or not');
  if (claims.answered || claims.command) {
    must(why.deliveries.length > 0 || sent.during === 'hold', 'an answer without a message');
    for (const { message_id, state } of why.deliveries) {
      must(
        got.has(message_id) === (state !== 'pending' && state !== 'failed'),
        `a ${state} answer`,
      );
    }
  }
  if (claims.answered)
    must(
      why.run?.model === 'scripted' &&
        sentence.includes(`(scripted, run ${why.run.id.slice(0, 8)})`),
      'the run',
    );
  if (token !== null && UNREAD.test(sentence))
    must(!truth.shown.has(token), 'a model was shown it');
  if (token !== null && claims.answered) must(truth.shown.has(token), 'no model was shown it');
  return faults;
}

/** Sentences that say that no agent read the message. */
const UNREAD = /^Stored, not answered|^Ignored because (it ends|you wrote it)|allows reading only/;

const claimed = (sentence: string) => ({
  answered:
    /^Answered by /.test(sentence) ||
    /^Handed to the conversation .* (read it and answered|that you approved)/.test(sentence),
  command: /^Carried out by your assistant as a command/.test(sentence),
});

const MESSAGE_REQUEST = (name: string) =>
  `Stored, not answered: ${name} \\(\\+\\d+\\) had no grant; it was counted as a message request\\.`;
const HANDED = (name: string) => `because your grant for ${name} allowed reading`;
/** The limits of auto-reply, and a later turn. */
const BRAKES = (name: string) =>
  `Not answered: it was handed to auto-reply[^,]*, ${HANDED(name)}, but (the limit of answers|it looked like a loop|the answer|you wrote)[^.]*\\.`;

function expected({ kind, person, during }: SentMail): RegExp {
  const of = (...sentences: string[]) => new RegExp(`^(${sentences.join('|')})$`);
  if (kind === 'own') return of('Ignored because you wrote it\\.');
  if (kind === 'self_signed')
    return of(
      'Ignored because it ends with the signature of your assistant, so it is not from you\\.',
    );
  if (kind === 'group')
    return of('Stored, not answered: the group “(Family|\\d+@g\\.us)” is not observed\\.');
  const { role, name } = person ?? { role: 'admin' as Role, name: '' };
  const mark = kind === 'reaction';
  if (role === 'admin') {
    if (mark) return of('Ignored because you wrote it\\.');
    if (kind === 'self_command')
      return of(
        'Carried out by your assistant as a command, because it came from your own number[^.]*\\.',
      );
    return of(
      'Answered by your assistant \\(scripted, run \\w{8}\\), because it came from your own number; the answer was [^.]*\\.',
    );
  }
  if (role === 'stranger') return of(MESSAGE_REQUEST(name));
  if (role === 'deaf')
    return of(
      `Stored, not answered: your grant for ${name} did not allow reading; it was counted as a message request\\.`,
    );
  if (role === 'talker') {
    const talk = `Handed to the conversation “${objectiveWith({ name })}” with ${name} \\(\\+\\d+\\), `;
    return of(
      during === 'pause'
        ? `${talk}which is paused, so its agent has not read it\\.`
        : `${talk}whose agent [^.]*\\.`,
    );
  }
  if (mark)
    return of(
      `Stored, not answered: ${name} reacted to a message or changed one, which needs no answer\\.`,
    );
  const waits = `Waiting: it was handed to auto-reply, ${HANDED(name)}, and (quiet hours are active; the next attempt is [^.]*|is queued)\\.`;
  if (role === 'quiet') return of(waits);
  if (role === 'read_only')
    return of(
      `Not answered: it was handed to auto-reply, ${HANDED(name)}, but the grant allows reading only, so nothing was sent\\.`,
    );
  const by = `auto-reply \\(scripted, run \\w{8}\\)`;
  const may = `${HANDED(name)} and replies`;
  if (role === 'draft')
    return of(
      `Waiting: ${by} drafted an answer, ${may}, and it needs your approval [^.]*\\.`,
      `Not answered: ${by} drafted an answer, ${may}, and (it was withdrawn because|you declined it)[^.]*\\.`,
      `Answered by ${by}, ${may}, with a draft that you approved[^.]*; the answer was [^.]*\\.`,
      BRAKES(name),
    );
  return of(
    `Answered by ${by}, ${may}; the answer was (sent|delivered|read)[^.]*\\.`,
    BRAKES(name),
  );
}

/** For a message of Relay: who caused it, and that it arrived. */
export function outboundSentence({ role, name, phone }: Person, timed: boolean): RegExp {
  const to = role === 'admin' ? 'you' : `(${name}( \\(\\+${phone}\\))?|\\+${phone})`;
  const [who, under] = timed
    ? ['The schedule “once, [^”]*” sent', 'because you agreed to this schedule']
    : (BY_ROLE[role] ?? ['nobody', 'nothing']);
  return new RegExp(`^${who} this to ${to}[^;]*, ${under}[^;]*; it was (delivered|read) [^.]*\\.$`);
}

const RUN = '\\(scripted, run \\w{8}\\)';

const BY_ROLE: Readonly<Partial<Record<Role, readonly [who: string, under: string]>>> = {
  granted: [`Auto-reply ${RUN} wrote`, 'which your grant for'],
  draft: [`Auto-reply ${RUN} wrote`, 'which you approved at'],
  talker: [
    `The agent of the conversation “Talk with talker\\d” ${RUN} wrote`,
    'which the permission of that conversation allowed',
  ],
  admin: [`Your assistant ${RUN} wrote`, 'which needs no grant'],
};
