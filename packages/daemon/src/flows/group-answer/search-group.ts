// The one tool of an answer in a group: what was said there before the context begins, no further back than
// it is kept. It is bound to the group; there is no argument by which it could look elsewhere.
import { fromChat, prompt, trusted } from '@relay/core/agent/labelled';
import { dateOf } from '@relay/core/observer/digest/clock';
import { z } from 'zod';
import { marksOf } from '../../agent/marks.ts';
import { type AgentTool, tool } from '../../agent/tool.ts';
import { takenBack } from '../../store/observer/taken-back.ts';
import type { Turn } from './begin.ts';
import type { GroupAnswerWorld } from './work.ts';

const MOST_HITS = 8;
const MOST_CHARACTERS = 300;
/** So that the nearest is not told as the answer. */
const NEAREST = prompt`Nothing is surely about it. What comes nearest:\n`;
const DAY = 24 * 3_600_000;

export function searchGroup(world: GroupAnswerWorld, turn: Turn): AgentTool {
  const { search, db, lease, settings } = world;
  const { group, run, asked, context } = turn;
  const marks = marksOf(run);
  return tool({
    name: 'search_group',
    description:
      'Finds what was said earlier in this group, best first. Give a few words, or a time such as "last week".',
    schema: z.strictObject({ query: z.string().min(1).max(200) }),
    async run({ query }) {
      const from = new Date(
        world.now().getTime() - settings.retention.observed_messages_days * DAY,
      );
      await search.caughtUp();
      const scope = { kind: 'chat', chat: group.chat } as const;
      const hits = await search.search(scope, query, { from, limit: 2 * MOST_HITS });
      const gone = await takenBack(
        db,
        lease.account,
        group.chat,
        hits.map(({ number }) => number),
      );
      const lines = hits
        .filter(({ message, number }) => message !== asked && !gone.has(number))
        .slice(0, MOST_HITS)
        .map(
          ({ at, senderName, text }) =>
            `[${dateOf(at, context.zone)}] ${senderName ?? 'Owner'}: ${text.slice(0, MOST_CHARACTERS)}`,
        );
      if (lines.length === 0) return { text: prompt`Nothing was found in this group.` };
      const sure = hits.some(({ sure }) => sure);
      const found = marks.notes(fromChat(lines.join('\n'), group.chat));
      return { text: prompt`${sure ? trusted('') : NEAREST}${found}` };
    },
  });
}
