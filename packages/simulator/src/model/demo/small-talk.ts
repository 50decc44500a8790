// Small talk of the demo's auto-reply: the first rule that fits, with another wording each time. It knows nothing about
// the owner and so promises little, and it never repeats what the contact wrote.

interface SmallTalkRule {
  readonly fits: RegExp;
  /** `{name}` is the sender. */
  readonly answers: readonly [string, ...string[]];
}

const SMALL_TALK_RULES: readonly SmallTalkRule[] = [
  {
    fits: /\[(?:image|video|document|audio message|sticker)\]/i,
    answers: ['I cannot look at that myself, but Alex will see it later.'],
  },
  {
    fits: /\bbook (?:a|the) table\b/i,
    answers: [
      'Yes, that still works! Please book the table, {name}, and send me the time.',
      'Good idea, {name}. Please book it and tell me when.',
    ],
  },
  {
    fits: /\bstill on for\b/i,
    answers: [
      'As far as I know, yes, {name}. Alex will confirm it today.',
      'I think so! Alex will confirm it today.',
    ],
  },
  {
    fits: /\b(?:good ?night|sleep well|bye|see you|talk (?:later|soon)|ciao)\b/i,
    answers: [
      'Good night, {name}! Alex will read this later.',
      'Bye for now, {name}. I will pass it on.',
    ],
  },
  {
    fits: /\b(?:thanks?|thank you|thx|merci|gracias|danke)\b/i,
    answers: ['You are welcome, {name}!', 'With pleasure.', 'Any time!'],
  },
  {
    fits: /\b(?:urgent|emergency|hospital|accident|asap|right now)\b/i,
    answers: ['That sounds urgent. I will tell Alex. If it cannot wait, please call directly.'],
  },
  {
    fits: /\b(?:call|ring|phone)\b/i,
    answers: [
      'Alex is busy right now. I will ask for a call back, {name}.',
      'I will tell Alex that you would like a call.',
    ],
  },
  {
    fits: /\b(?:dinner|lunch|breakfast|supper|eat|cook|cake|soup)\b/i,
    answers: [
      'That sounds lovely! I will ask Alex and let you know.',
      'Alex loves your food, {name}. I will ask and let you know.',
    ],
  },
  {
    fits: /\b(?:money|pay|transfer|bank|password|code|pin)\b/i,
    answers: ['That is something only Alex can decide. I will pass it on.'],
  },
  {
    fits: /\bbring\b/i,
    answers: [
      'I will ask Alex to bring it, {name}, and confirm the time.',
      'I will ask Alex about that and confirm the time.',
    ],
  },
  {
    fits: /\b(?:what time|when|tonight|tomorrow|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?::\d\d| ?(?:am|pm)))\b/i,
    answers: [
      'I will check the time with Alex and come back to you, {name}.',
      'Noted. Alex will confirm the time later today.',
      'I will ask Alex about the time.',
    ],
  },
  {
    fits: /\bhow (?:are|is|s|do)\b|\bhow's\b|\bare you (?:ok|well|fine)\b/i,
    answers: [
      'All well here, {name}, just a busy day. And how are you?',
      'Fine, thank you! Alex will write more tonight.',
    ],
  },
  {
    fits: /\bwhere\b/i,
    answers: ['I do not know where Alex is right now, but I will pass the question on.'],
  },
  {
    fits: /\b(?:love you|miss you|hugs?|kiss(?:es)?)\b|[❤💕😘🥰]/iu,
    answers: ['That will make Alex smile. ❤', 'A hug back, {name}!'],
  },
  {
    fits: /\b(?:who (?:are|is) (?:you|this)|are you (?:a )?(?:bot|robot|machine|real|human|ai))\b/i,
    answers: ['I am Relay, an assistant. I answer for Alex when Alex is busy.'],
  },
  {
    fits: /\b(?:happy|congratulations|well done|great|wonderful|birthday)\b/i,
    answers: ['How nice, {name}! Alex will be glad to read it.'],
  },
  {
    fits: /[?？؟]/,
    answers: [
      'Good question, {name}. Alex knows that better than I do. I will ask.',
      'I would rather not guess. Alex will answer that one.',
    ],
  },
  {
    fits: /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|hola|hallo|bonjour|ciao)\b/i,
    answers: [
      'Hello {name}! Alex is busy just now. Can I pass something on?',
      'Hi again, {name}! What can I do for you?',
    ],
  },
];

const OTHERWISE = [
  'Thank you, {name}. I will tell Alex.',
  'Understood, I will pass it on.',
  'Alright, {name}. Alex will get back to you about that.',
] as const;

/** `before` is how often this person was answered already. */
export function smallTalk(said: string, name: string, before: number): string {
  const answers = SMALL_TALK_RULES.find(({ fits }) => fits.test(said))?.answers ?? OTHERWISE;
  const [first = name] = name.split(' ');
  return (answers[before % answers.length] ?? OTHERWISE[0]).replaceAll('{name}', first);
}
