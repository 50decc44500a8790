// The family group of the demo's scene: how a good model would sum up each of its messages, and what the assistant
// answers about them. The messages are in packages/cli/src/commands/demo/scene.ts; other messages are retold by rules.

export type FactList = 'decisions' | 'events' | 'action_items' | 'open_questions';

export interface FamilyFact {
  readonly list: FactList;
  readonly text: string;
  readonly who?: string;
  readonly when?: string;
}

export interface FamilyTopic {
  readonly who: RegExp;
  readonly said: RegExp;
  /** For the digest of the hour. */
  readonly hour: string;
  /** For the summary of the day; absent if another topic of that day covers it. */
  readonly day?: string;
  readonly facts?: readonly FamilyFact[];
}

const MOM = /^Mom\b/;
const NORA = /^Nora\b/;
const LEO = /^Leo\b/;
const OWNER = /^(?:Alex|Owner)\b/;

export const FAMILY_TOPICS: readonly FamilyTopic[] = [
  {
    who: MOM,
    said: /dinner at my place on sunday/i,
    hour: 'Mom invited everybody to dinner on Sunday and wants to know as soon as possible who comes.',
    day: 'Mom invited everybody to dinner on Sunday.',
    facts: [
      { list: 'events', text: 'Dinner at Mom’s place', who: 'Mom', when: 'Sunday' },
      { list: 'open_questions', text: 'Who comes to dinner on Sunday?', who: 'Mom' },
    ],
  },
  {
    who: LEO,
    said: /address of the hotel for uncle jon/i,
    hour: 'Leo shared the address of the hotel for Uncle Jon: Hotel am Park.',
    day: 'Uncle Jon stays at the Hotel am Park.',
  },
  {
    who: NORA,
    said: /grandma turns 80/i,
    hour: 'Nora reminded everybody that Grandma turns 80 on the 21st and suggested a big party.',
    day: 'The family began to plan Grandma’s 80th birthday on the 21st.',
    facts: [{ list: 'events', text: 'Grandma turns 80', when: 'the 21st' }],
  },
  {
    who: MOM,
    said: /garden room at café linde/i,
    hour: 'Mom found out that the garden room at Café Linde is free that Saturday from 3 pm.',
  },
  {
    who: NORA,
    said: /decided: party for grandma/i,
    hour: 'Nora settled it: Grandma’s party is at Café Linde on Saturday at 3 pm.',
    day: 'The party will be in the garden room of Café Linde on Saturday at 3 pm.',
    facts: [
      {
        list: 'decisions',
        text: 'Grandma’s party is at Café Linde',
        who: 'Nora',
        when: 'Saturday at 3 pm',
      },
    ],
  },
  {
    who: LEO,
    said: /who can pick up uncle jon/i,
    hour: 'Leo asked who can pick up Uncle Jon from the airport on Friday.',
  },
  {
    who: MOM,
    said: /i will pick him up/i,
    hour: 'Mom will pick him up; he lands at 17:40.',
    day: 'Uncle Jon arrives on Friday. Mom will pick him up at the airport; he lands at 17:40.',
    facts: [
      { list: 'events', text: 'Uncle Jon lands', when: 'Friday at 17:40' },
      {
        list: 'action_items',
        text: 'Pick up Uncle Jon from the airport',
        who: 'Mom',
        when: 'Friday at 17:40',
      },
    ],
  },
  {
    who: MOM,
    said: /heating man comes on tuesday/i,
    hour: 'Mom announced that the heating engineer comes on Tuesday at 8 am. Somebody has to be at home.',
    day: 'The heating engineer comes on Tuesday at 8 am.',
    facts: [
      {
        list: 'events',
        text: 'The heating engineer comes',
        who: 'Mom',
        when: 'Tuesday at 8 am',
      },
    ],
  },
  {
    who: NORA,
    said: /i will be there on tuesday/i,
    hour: 'Nora will be there on Tuesday.',
    day: 'Nora will be at home for that.',
    facts: [
      {
        list: 'action_items',
        text: 'Be at home for the heating engineer',
        who: 'Nora',
        when: 'Tuesday at 8 am',
      },
    ],
  },
  {
    who: NORA,
    said: /the cake is booked/i,
    hour: 'Nora booked a lemon cake for 30 people. It costs 95 euros.',
    day: 'The cake for the party is booked: lemon, for 30 people, 95 euros.',
    facts: [{ list: 'decisions', text: 'A lemon cake for 30 people, 95 euros', who: 'Nora' }],
  },
  {
    who: MOM,
    said: /i will bring the candles/i,
    hour: 'Mom will bring the candles.',
    day: 'Mom will bring the candles.',
    facts: [{ list: 'action_items', text: 'Bring the candles', who: 'Mom', when: 'Saturday' }],
  },
  {
    who: LEO,
    said: /lend me a suit/i,
    hour: 'Leo asked whether somebody can lend him a suit for Saturday. There was no answer yet.',
    day: 'Leo still needs a suit for Saturday.',
    facts: [
      {
        list: 'open_questions',
        text: 'Who can lend Leo a suit?',
        who: 'Leo',
        when: 'for Saturday',
      },
    ],
  },
  {
    who: MOM,
    said: /how many children come/i,
    hour: 'Mom said that the café wants to know how many children come on Saturday.',
  },
  {
    who: NORA,
    said: /six children, two high chairs/i,
    hour: 'Nora and Leo agreed on 6 children and 2 high chairs.',
    day: 'For the café, Nora and Leo agreed on 6 children and 2 high chairs.',
    facts: [
      {
        list: 'decisions',
        text: '6 children and 2 high chairs at the café',
        who: 'Nora',
        when: 'Saturday',
      },
    ],
  },
  {
    who: OWNER,
    said: /bring the speakers/i,
    hour: 'Alex will bring the speakers and make a playlist.',
    day: 'Alex will bring the speakers and make a playlist.',
    facts: [
      {
        list: 'action_items',
        text: 'Bring the speakers and make a playlist',
        who: 'Alex',
        when: 'Saturday',
      },
    ],
  },
  {
    who: LEO,
    said: /train on saturday is at 11:08/i,
    hour: 'Leo shared the train for Saturday: 11:08 from platform 4.',
    day: 'The train on Saturday leaves at 11:08 from platform 4.',
    facts: [
      {
        list: 'events',
        text: 'The train leaves from platform 4',
        who: 'Leo',
        when: 'Saturday at 11:08',
      },
    ],
  },
  {
    who: MOM,
    said: /got your tickets/i,
    hour: 'Mom asked whether everybody has a ticket. There was no answer yet.',
    day: 'Mom would like to know whether everybody has a ticket.',
    facts: [{ list: 'open_questions', text: 'Does everybody have a ticket?', who: 'Mom' }],
  },
  {
    who: NORA,
    said: /party moved to 4 pm/i,
    hour: 'Nora moved the party to 4 pm on Saturday. The café has confirmed it.',
    day: 'Grandma’s party now begins at 4 pm instead of 3 pm. The café has confirmed it.',
    facts: [
      {
        list: 'decisions',
        text: 'Grandma’s party begins at 4 pm instead of 3 pm',
        who: 'Nora',
        when: 'Saturday',
      },
    ],
  },
  {
    who: MOM,
    said: /sign the card for grandma/i,
    hour: 'Mom reminded everybody to sign the card for Grandma today.',
    day: 'Everybody should sign the card for Grandma.',
    facts: [
      {
        list: 'action_items',
        text: 'Sign the card for Grandma',
        who: 'everybody',
        when: 'today',
      },
    ],
  },
  {
    who: NORA,
    said: /card is at my place/i,
    hour: 'Nora has the card and will bring it tomorrow at noon.',
    day: 'Nora has it and will bring it tomorrow at noon.',
    facts: [
      { list: 'action_items', text: 'Bring the card', who: 'Nora', when: 'tomorrow at noon' },
    ],
  },
];

export const findFamilyTopic = (who: string, words: string): FamilyTopic | undefined =>
  FAMILY_TOPICS.find((topic) => topic.who.test(who) && topic.said.test(words));

// Answers about the group, each only if its source is in what the model was given.

interface FamilyAnswer {
  readonly asked: RegExp;
  readonly seen: RegExp;
  readonly answer: string;
}

const FAMILY_ANSWERS: readonly FamilyAnswer[] = [
  {
    asked: /\b(?:party|birthday|celebrat\w+|café|cafe)\b/i,
    seen: /\b4 pm\b/i,
    answer:
      'Grandma’s party is on Saturday at 4 pm at Café Linde. It was 3 pm at first; Nora moved it.',
  },
  {
    asked: /\b(?:party|birthday|celebrat\w+|café|cafe)\b/i,
    seen: /\b3 pm\b/i,
    answer: 'Grandma’s party is on Saturday at 3 pm at Café Linde.',
  },
  {
    asked: /\b(?:cake|candles?)\b/i,
    seen: /lemon/i,
    answer: 'Nora booked a lemon cake for 30 people, 95 euros. Mom brings the candles.',
  },
  {
    asked: /\b(?:train|tickets?|platform)\b/i,
    seen: /11:08/,
    answer: 'The train on Saturday leaves at 11:08 from platform 4.',
  },
  {
    asked: /\b(?:jon|airport|pick)\b/i,
    seen: /17:40/,
    answer: 'Mom picks Uncle Jon up at the airport on Friday. He lands at 17:40.',
  },
  {
    asked: /\b(?:heating|engineer|tuesday)\b/i,
    seen: /heating/i,
    answer: 'The heating engineer comes on Tuesday at 8 am. Nora will be at home.',
  },
  {
    asked: /\b(?:speakers?|playlist|music)\b/i,
    seen: /speakers/i,
    answer: 'Alex brings the speakers and makes a playlist.',
  },
  {
    asked: /\b(?:card|sign)\b/i,
    seen: /\bcard\b/i,
    answer: 'Mom asks everybody to sign Grandma’s card today. Nora has it.',
  },
];

export const isAboutFamily = (question: string): boolean =>
  FAMILY_ANSWERS.some(({ asked }) => asked.test(question));

/** Undefined if it is about something else, or if `known` does not contain the source. */
export const answerAboutFamily = (question: string, known: string): string | undefined =>
  FAMILY_ANSWERS.find(({ asked, seen }) => asked.test(question) && seen.test(known))?.answer;
