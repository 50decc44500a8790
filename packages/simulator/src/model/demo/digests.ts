// The digests of the demo: a short paragraph for an hour; for a day a summary with decisions, events, action items and
// open questions. The scene's messages have written sentences, other messages are retold by rules.
import { digestMaterial, readGroupLine } from '../group/group.ts';
import type { ChatRequest, Reply } from '../schemas.ts';
import {
  FAMILY_TOPICS,
  type FactList,
  type FamilyFact,
  type FamilyTopic,
  findFamilyTopic,
} from './family.ts';
import { retellMessage } from './retell.ts';

const MOST_SENTENCES = 12;
const MOST_OTHERS = 3;
const NO_NEWS = 'No news, only small talk.';

/** Undefined if the request does not ask for a digest. */
export function playDigest(request: ChatRequest): Reply | undefined {
  const material = digestMaterial(request);
  if (material === undefined) return undefined;
  const { period, lines } = material;
  return { text: JSON.stringify(period === 'hour' ? writeHour(lines) : writeDay(lines)) };
}

function writeHour(lines: readonly string[]): { digest: string } {
  const sentences = lines.flatMap((line) => {
    const read = readGroupLine(line);
    if (read === undefined || read.role === 'assistant') return [];
    const who = read.role === 'owner' ? 'Alex' : read.who;
    return findFamilyTopic(who, read.words)?.hour ?? retellMessage(who, read.words) ?? [];
  });
  const told = [...new Set(sentences)].slice(0, MOST_SENTENCES);
  return { digest: told.join(' ') || NO_NEWS };
}

interface DigestHour {
  /** Its beginning: `10:00`. */
  readonly hour: string;
  readonly topics: readonly FamilyTopic[];
  /** Sentences about other messages. */
  readonly others: readonly string[];
}

function writeDay(lines: readonly string[]) {
  const hours = lines.flatMap(readHour);
  const topics = hours.flatMap((hour) => hour.topics);
  const others = hours.flatMap((hour) => hour.others);
  const summary = [
    ...topics.flatMap(({ day }) => day ?? []),
    ...others.filter(isNews).slice(0, MOST_OTHERS),
  ];
  const facts = hours.flatMap(factsOfHour);
  const listed = (list: FactList) =>
    facts
      .filter((fact) => fact.list === list)
      .map(({ text, who = '', when = '', hour }) => ({ text, who, when, hour }));
  return {
    summary: [...new Set(summary)].join(' ') || NO_NEWS,
    decisions: listed('decisions'),
    events: listed('events'),
    action_items: listed('action_items'),
    open_questions: listed('open_questions'),
    mood: '',
  };
}

/** From the digest of an hour: `10:00-11:00: Nora booked …` */
function readHour(line: string): DigestHour[] {
  const [, hour, text = ''] = /^(\d\d:\d\d)-\d\d:\d\d: (.*)$/.exec(line) ?? [];
  if (hour === undefined) return [];
  const topics = FAMILY_TOPICS.filter((topic) => text.includes(topic.hour));
  const rest = topics.reduce((left, topic) => left.replace(topic.hour, ''), text);
  const others = rest.split(/(?<=[.?]) +/).map((sentence) => sentence.trim());
  return [{ hour, topics, others: others.filter((sentence) => sentence !== '') }];
}

/** The notes that Relay adds to an hour are not news. */
const isNews = (sentence: string): boolean =>
  sentence !== NO_NEWS && !/^(?:Not seen or heard|\()/.test(sentence);

function factsOfHour({ hour, topics, others }: DigestHour) {
  const news = others.filter(isNews);
  const found = news.flatMap((sentence, at) => factIn(sentence, news[at + 1]) ?? []);
  return [...topics.flatMap(({ facts = [] }) => facts), ...found].map((fact) => ({
    ...fact,
    hour,
  }));
}

const DECIDED = /\b(?:final|decided|agreed|confirmed|booked|fixed|moved)\b/i;
const PLANNED = /\bwill\b/i;
const ASKED = / (?:asked (?!everybody)|wanted to know)/;
const WHEN =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|today)\b(?: at \d{1,2}(?::\d\d)?(?: ?(?:am|pm))?)?/i;

/** A question that the next sentence answers is not open. */
function factIn(sentence: string, next: string | undefined): FamilyFact | undefined {
  const text = sentence.replace(/\.$/, '');
  const [who = ''] = sentence.split(' ');
  const [when] = WHEN.exec(sentence) ?? [];
  const known = { text, who, ...(when === undefined ? {} : { when }) };
  if (ASKED.test(sentence)) {
    const isAnswered = next !== undefined && !ASKED.test(next);
    return isAnswered ? undefined : { list: 'open_questions', ...known };
  }
  if (DECIDED.test(sentence)) return { list: 'decisions', ...known };
  if (PLANNED.test(sentence)) return { list: 'action_items', ...known };
  return when === undefined ? undefined : { list: 'events', ...known };
}
