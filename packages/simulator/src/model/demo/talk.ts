// Small talk for somebody who is busy: what the demo's model answers to a person whom it may answer by itself. The
// first rule that fits, and another wording each time. Pure; it knows nothing and so promises nothing.

interface Rule {
  readonly fits: RegExp;
  /** `{name}` is the one who wrote. */
  readonly answers: readonly [string, ...string[]];
}

const RULES: readonly Rule[] = [
  {
    fits: /\[(?:image|video|document|audio message|sticker)\]/i,
    answers: ['I cannot look at that myself, but Alex will see it later.'],
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
    answers: [
      'That sounds urgent. I have marked it for Alex; if it cannot wait, please call directly.',
    ],
  },
  {
    fits: /\b(?:call|ring|phone)\b/i,
    answers: [
      'Alex is busy right now and will call you back, {name}.',
      'I have noted that you would like a call.',
    ],
  },
  {
    fits: /\b(?:dinner|lunch|breakfast|supper|eat|cook|cake|soup)\b/i,
    answers: [
      'That sounds lovely! I will tell Alex and let you know.',
      'Yum. Alex will tell you about the food later, {name}.',
    ],
  },
  {
    fits: /\b(?:money|pay|transfer|bank|password|code|pin)\b/i,
    answers: ['That is something only Alex can decide. I have passed it on.'],
  },
  {
    fits: /\b(?:what time|when|tonight|tomorrow|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?::\d\d| ?(?:am|pm)))\b/i,
    answers: [
      'I will check the time with Alex and come back to you, {name}.',
      'Noted. Alex will confirm the time later today.',
      'I have written that down for Alex.',
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
    answers: ['I do not know exactly where Alex is, but I will pass the question on.'],
  },
  {
    fits: /\b(?:love you|miss you|hugs?|kiss(?:es)?)\b|[❤💕😘🥰]/iu,
    answers: ['That will make Alex smile. ❤', 'A hug back, {name}!'],
  },
  {
    fits: /\b(?:who (?:are|is) (?:you|this)|are you (?:a )?(?:bot|robot|machine|real|human|ai))\b/i,
    answers: ['I am Relay, the assistant who answers for Alex when Alex is busy.'],
  },
  {
    fits: /\b(?:happy|congratulations|well done|great|wonderful|birthday)\b/i,
    answers: ['How nice, {name}! Alex will be glad to read it.'],
  },
  {
    fits: /[?？؟]/,
    answers: [
      'Good question, {name}. Alex knows that better than I do; I will ask.',
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
  'Thank you, {name}. I have read it and will tell Alex.',
  'Understood, I will pass it on.',
  'Alright, {name}. Alex will get back to you about that.',
] as const;

/** `before` is how often this person was answered already. */
export function smallTalk(said: string, name: string, before: number): string {
  const answers = RULES.find(({ fits }) => fits.test(said))?.answers ?? OTHERWISE;
  const [first = name] = name.split(' ');
  return (answers[before % answers.length] ?? OTHERWISE[0]).replaceAll('{name}', first);
}
