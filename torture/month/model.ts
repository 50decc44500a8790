// The model of the simulated month: it gives the same digest each time, labels every message as a direct request, and
// answers in a few words. What matters is how often it is called and what that costs.
import type { ModelActor } from '@relay/simulator/model/server';

export const sumsUp: ModelActor = ({ messages }) => {
  const asked = messages.flatMap(({ role, content }) =>
    role === 'system' && typeof content === 'string' ? content : [],
  );
  const text = asked.join('\n');
  if (text.includes('You sum up one hour'))
    return {
      text: JSON.stringify({ digest: 'Members talked about the plan; Member 3 asked when.' }),
    };
  if (text.includes('You sum up one day'))
    return {
      text: JSON.stringify({
        summary: 'The plan was talked about all day.',
        decisions: [{ text: 'Dinner is at 8', who: 'Member 3', when: 'Saturday' }],
        events: [],
        action_items: [{ text: 'Book a table', who: 'Member 5' }],
        open_questions: [{ text: 'Who drives?' }],
        mood: 'Cheerful.',
      }),
    };
  if (text.includes('You sort messages')) return { text: '{"label": "direct_request"}' };
  return { text: 'Dinner is at 8.' };
};
