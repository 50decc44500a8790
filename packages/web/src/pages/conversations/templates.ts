// What a conversation is often wanted for: pure data. A template fills the form in and nothing more; `…` stands where
// the owner has to say something, and a fact that is left empty is not told.

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly objective: string;
  readonly todos: readonly string[];
  /** What the contact will ask about. */
  readonly facts: readonly { readonly label: string; readonly example: string }[];
  readonly followUps: { readonly everyMs: number; readonly most: number };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const TEMPLATES: readonly Template[] = [
  {
    id: 'quote',
    title: 'Get a quote',
    objective: 'Get a quote for …',
    todos: ['A price, with what it includes', 'When it could be done', 'How long the quote holds'],
    facts: [
      { label: 'What it is about', example: 'The tap in the kitchen leaks' },
      { label: 'Where', example: '12 Mill Lane, second floor' },
      { label: 'By when', example: 'Before the end of the month' },
    ],
    followUps: { everyMs: DAY_MS, most: 3 },
  },
  {
    id: 'appointment',
    title: 'Book an appointment',
    objective: 'Book an appointment for …',
    todos: ['A day and a time', 'Where it takes place', 'What to bring'],
    facts: [
      { label: 'For whom', example: 'Alex Moore' },
      { label: 'Times that work', example: 'Tuesday or Thursday after 16:00' },
      { label: 'Times that do not', example: 'Not next week' },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'invoice',
    title: 'Chase an invoice',
    objective: 'Find out when invoice … will be paid',
    todos: ['That the invoice arrived', 'A date for the payment'],
    facts: [
      { label: 'Invoice', example: '2026-117 of 3 November' },
      { label: 'Amount', example: '€1,240' },
      { label: 'Due on', example: '17 November' },
    ],
    followUps: { everyMs: 3 * DAY_MS, most: 4 },
  },
  {
    id: 'meeting',
    title: 'Arrange a meeting',
    objective: 'Agree on a time to meet about …',
    todos: ['A day and a time', 'Where to meet'],
    facts: [
      { label: 'Times that work', example: 'Wednesday all day, Friday before noon' },
      { label: 'Place', example: 'The café at the station, or a call' },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'document',
    title: 'Ask for a document',
    objective: 'Ask for …',
    todos: ['The document, or when it will come', 'That it is the one that was asked for'],
    facts: [
      { label: 'Which document', example: 'The heating bill of 2025' },
      { label: 'What for', example: 'The tax return' },
      { label: 'By when', example: '30 November' },
    ],
    followUps: { everyMs: DAY_MS, most: 4 },
  },
];

export const templateOf = (id: string): Template | undefined =>
  TEMPLATES.find((template) => template.id === id);
