// The form for a new conversation: goal, recipient, to-dos and facts. It has its own address, and its content is
// kept until it is created or discarded.
import {
  ActionIcon,
  Button,
  Chip,
  Drawer,
  NumberInput,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { CreateInstanceResponse } from '@relay/contract/api/instances';
import { RelayApiError } from '@relay/contract/client/api-error';
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconCloudOff,
  IconPlus,
  IconReplace,
  IconX,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import {
  type FormEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import {
  addDraftLine,
  BLANK_DRAFT,
  CONVERSATION_TEMPLATES,
  type ConversationDraft,
  type DraftErrors,
  type DraftLine,
  type DraftLinesKind,
  differsFromTemplate,
  draftFromTemplate,
  findTemplate,
  followUpText,
  INTERVAL_UNITS,
  type IntervalUnit,
  moveDraftLine,
  readDraft,
  splitInterval,
  toCreateRequest,
  validateDraft,
} from './draft.ts';
import classes from './new-conversation.module.css';
import { RecipientField } from './recipient-field.tsx';

interface NewConversationDrawerProps {
  readonly template: string;
  onClose(): void;
}

export function NewConversationDrawer({ template, onClose }: NewConversationDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('conversations.new')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
      classNames={{ body: classes.body ?? '', content: classes.content ?? '' }}
    >
      <NewConversationForm template={template} />
    </Drawer>
  );
}

function NewConversationForm({ template }: { readonly template: string }) {
  const { draft, change, forget } = useConversationDraft(template);
  const navigate = useNavigate();
  const isGone = useIsDaemonGone();
  const [isTried, setTried] = useState(false);
  const wrong = validateDraft(draft);
  const isWrong = Object.keys(wrong).length > 0;
  const create = useCreateConversation(({ id }) => {
    forget();
    void navigate({ to: '/conversations/$id', params: { id } });
  });
  const refusedNumber = create.code === 'invalid_phone' ? readableError(create.error) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (!isWrong && !isGone) return create.mutate(draft);
    const { elements } = event.currentTarget;
    // After the fields have rendered their errors.
    requestAnimationFrame(() => firstInvalidField(elements)?.focus());
  };
  const shown = isTried ? wrong : onlyTooLong(wrong, draft.objective);
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={classes.fields}>
        <TemplateChoice draft={draft} onChange={change} />
        <Textarea
          label={t('conversations.form.goal')}
          description={t('conversations.form.goal.description')}
          placeholder={t('conversations.form.goal.placeholder')}
          autosize
          minRows={2}
          maxRows={8}
          value={draft.objective}
          onChange={({ currentTarget: { value } }) => change({ objective: value })}
          error={shown.objective}
          inputContainer={(input) => (
            <>
              {input}
              <CharactersLeft text={draft.objective} most={CONVERSATION_LIMITS.objective} />
            </>
          )}
          data-autofocus
        />
        <RecipientField
          value={draft.recipient}
          onChange={(recipient) => change({ recipient })}
          error={refusedNumber ?? shown.recipient}
        />
        <LinesField
          kind="todos"
          most={CONVERSATION_LIMITS.todos}
          longest={CONVERSATION_LIMITS.todo}
          lines={draft.todos}
          wrong={shown}
          onLines={(todos) => change({ todos })}
        />
        <LinesField
          kind="facts"
          most={CONVERSATION_LIMITS.facts}
          longest={CONVERSATION_LIMITS.fact}
          lines={draft.facts}
          wrong={shown}
          onLines={(facts) => change({ facts })}
        />
        <FollowUpFields draft={draft} onChange={change} wrong={shown} />
      </div>
      <footer className={classes.foot}>
        {isGone && (
          <Note hue="bad" icon={IconCloudOff}>
            {t('conversations.form.unreachable')}
          </Note>
        )}
        {create.error && refusedNumber === undefined && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={readableError(create.error)} />
          </Note>
        )}
        <div className={classes.acts}>
          <Button variant="subtle" color="gray" onClick={forget}>
            {t('conversations.form.discard')}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={isGone}>
            {t('conversations.form.start')}
          </Button>
        </div>
      </footer>
    </form>
  );
}

/** Before the first attempt to create, only excess length is reported. */
const onlyTooLong = (wrong: Readonly<Record<string, string | undefined>>, objective: string) => {
  const { recipient: _, objective: about, ...rest } = wrong;
  return objective.length > CONVERSATION_LIMITS.objective ? { ...rest, objective: about } : rest;
};

const firstInvalidField = (elements: HTMLFormControlsCollection): HTMLElement | undefined =>
  [...elements].find(
    (element): element is HTMLElement =>
      element instanceof HTMLElement && element.getAttribute('aria-invalid') === 'true',
  );

// Templates. Choosing one fills in the form; text written by hand is not replaced without asking.

interface TemplateChoiceProps {
  readonly draft: ConversationDraft;
  onChange(draft: ConversationDraft): void;
}

const TEMPLATE_CHOICES = [
  { id: 'blank', title: 'conversations.template.blank.title' },
  ...CONVERSATION_TEMPLATES,
] as const;

function TemplateChoice({ draft, onChange }: TemplateChoiceProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const fill = (id: string) => {
    setAsked(null);
    onChange(draftFromTemplate(findTemplate(id), draft));
  };
  const choose = (id: string) =>
    differsFromTemplate(draft, findTemplate(draft.template)) ? setAsked(id) : fill(id);
  return (
    <div className={classes.templates}>
      <Chip.Group value={asked ?? draft.template} onChange={choose}>
        <div
          role="radiogroup"
          aria-label={t('conversations.form.template')}
          className={classes.chips}
        >
          {TEMPLATE_CHOICES.map(({ id, title }) => (
            <Chip key={id} value={id} variant="outline" size="sm" radius={8}>
              {t(title)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      {asked !== null && (
        <Note
          hue="parked"
          icon={IconReplace}
          role="status"
          actions={
            <>
              <Button size="xs" onClick={() => fill(asked)}>
                {t('conversations.form.template.replace')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setAsked(null)}>
                {t('conversations.form.template.keep')}
              </Button>
            </>
          }
        >
          {t('conversations.form.template.replace.text')}
        </Note>
      )}
    </div>
  );
}

// A list of short lines: to-dos or facts. By keyboard: Enter adds a line, Backspace in an empty line removes it, Alt
// with an arrow moves it. Each action also has a button.

interface LinesFieldProps {
  readonly kind: DraftLinesKind;
  readonly most: number;
  readonly longest: number;
  readonly lines: readonly DraftLine[];
  readonly wrong: DraftErrors;
  onLines(lines: readonly DraftLine[]): void;
}

function LinesField({ kind, lines, most, longest, wrong, onLines }: LinesFieldProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  // The line to focus after the next render.
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    list.current?.querySelector<HTMLInputElement>(`[data-line="${wanted}"]`)?.focus();
    setWanted(null);
  }, [wanted]);
  const add = () => {
    if (lines.length >= most) return;
    const next = addDraftLine(lines, kind);
    onLines(next);
    setWanted(next.at(-1)?.key ?? null);
  };
  const remove = (index: number) => {
    onLines(lines.toSpliced(index, 1));
    setWanted(lines[index - 1]?.key ?? lines[index + 1]?.key ?? null);
  };
  const move = (from: number, to: number) => {
    onLines(moveDraftLine(lines, from, to));
    setWanted(lines[from]?.key ?? null);
  };
  const next = (index: number) => {
    const after = lines[index + 1];
    if (after === undefined) add();
    else setWanted(after.key);
  };
  const actOf = ({ key, altKey }: KeyboardEvent, index: number, line: DraftLine) => {
    if (key === 'Enter') return () => next(index);
    if (key === 'Backspace' && line.text === '') return () => remove(index);
    if (key === 'ArrowUp' && altKey) return () => move(index, index - 1);
    if (key === 'ArrowDown' && altKey) return () => move(index, index + 1);
    return undefined;
  };
  const press = (event: KeyboardEvent<HTMLInputElement>, index: number, line: DraftLine) => {
    if (event.nativeEvent.isComposing) return;
    const act = actOf(event, index, line);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <section className={classes.lines} aria-labelledby={id}>
      <h3 id={id}>{t(`conversations.form.${kind}`)}</h3>
      <p className="small dim">{t(`conversations.form.${kind}.description`)}</p>
      <ul ref={list}>
        {lines.map((line, index) => {
          const name = line.label ?? t(`conversations.form.${kind}.line`, { number: index + 1 });
          return (
            <li key={line.key}>
              <TextInput
                aria-label={name}
                label={line.label}
                data-line={line.key}
                placeholder={line.example ?? t(`conversations.form.${kind}.placeholder`)}
                value={line.text}
                error={wrong[line.key]}
                onChange={({ currentTarget: { value } }) =>
                  onLines(lines.toSpliced(index, 1, { ...line, text: value }))
                }
                onKeyDown={(event) => press(event, index, line)}
                rightSection={<CharactersLeft text={line.text} most={longest} />}
                rightSectionWidth={isNearlyFull(line.text, longest) ? 72 : 12}
              />
              <span className={classes.lineActs}>
                {kind === 'todos' && (
                  <>
                    <ActionIcon
                      aria-label={t('conversations.form.line.up', { name })}
                      disabled={index === 0}
                      onClick={() => move(index, index - 1)}
                    >
                      <IconArrowUp size={16} stroke={1.7} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={t('conversations.form.line.down', { name })}
                      disabled={index === lines.length - 1}
                      onClick={() => move(index, index + 1)}
                    >
                      <IconArrowDown size={16} stroke={1.7} />
                    </ActionIcon>
                  </>
                )}
                <ActionIcon
                  aria-label={t('conversations.form.line.remove', { name })}
                  onClick={() => remove(index)}
                >
                  <IconX size={16} stroke={1.7} />
                </ActionIcon>
              </span>
            </li>
          );
        })}
      </ul>
      <Button
        variant="subtle"
        size="xs"
        leftSection={<IconPlus size={15} stroke={1.8} />}
        onClick={add}
        disabled={lines.length >= most}
      >
        {lines.length >= most
          ? t('conversations.form.line.limit', { max: most })
          : t(`conversations.form.${kind}.add`)}
      </Button>
    </section>
  );
}

// Shows how many characters are left once the limit is near.

const isNearlyFull = (text: string, most: number): boolean => most - text.length <= most / 5;

function CharactersLeft({ text, most }: { readonly text: string; readonly most: number }) {
  if (!isNearlyFull(text, most)) return null;
  const left = most - text.length;
  return (
    <span className={classes.left} data-over={left < 0 || undefined}>
      {left < 0
        ? t('conversations.form.charactersOver', { count: -left })
        : t('conversations.form.charactersLeft', { count: left })}
    </span>
  );
}

// Follow-ups: how long the agent waits for a reply, and how often it follows up before the conversation ends.

interface FollowUpFieldsProps {
  readonly draft: ConversationDraft;
  readonly wrong: DraftErrors;
  onChange(by: Partial<ConversationDraft>): void;
}

function FollowUpFields({ draft, wrong, onChange }: FollowUpFieldsProps) {
  const { n, unit } = splitInterval(draft.everyMs);
  const every = (count: number, of: IntervalUnit) =>
    onChange({ everyMs: Math.round(count * INTERVAL_UNITS[of]) });
  const units = Object.keys(INTERVAL_UNITS) as IntervalUnit[];
  return (
    <section className={classes.lines} aria-label={t('conversations.form.followUps')}>
      <h3>{t('conversations.form.followUps')}</h3>
      <p className="small dim">{followUpText(draft.everyMs, draft.most)}</p>
      <div className={classes.followUps}>
        <NumberInput
          label={t('conversations.form.followUps.max')}
          min={0}
          max={CONVERSATION_LIMITS.followups}
          clampBehavior="none"
          allowDecimal={false}
          value={draft.most}
          onChange={(most) => onChange({ most: Number(most) })}
          error={wrong.most}
        />
        <NumberInput
          label={t('conversations.form.followUps.wait')}
          min={1}
          clampBehavior="none"
          value={n}
          onChange={(count) => every(Number(count), unit)}
          error={wrong.everyMs}
        />
        <Select
          aria-label={t('conversations.form.followUps.unit')}
          data={units.map((value) => ({ value, label: t(`conversations.unit.${value}`) }))}
          value={unit}
          allowDeselect={false}
          onChange={(of) => of !== null && every(n, of as IntervalUnit)}
        />
      </div>
    </section>
  );
}

// Creates the conversation once: resending the same draft after a lost answer uses the same key and gets the first
// result.

function useCreateConversation(onCreated: (made: CreateInstanceResponse) => void) {
  const named = useRef({ body: '', key: '' });
  const act = useAction({
    run: (draft: ConversationDraft) => {
      const body = toCreateRequest(draft);
      const text = JSON.stringify(body);
      if (named.current.body !== text) named.current = { body: text, key: crypto.randomUUID() };
      return relay.post('/api/instances', {
        body,
        header: { 'idempotency-key': named.current.key },
      });
    },
    invalidates: ['instances', 'contacts', 'status'],
    showsErrorInPlace: true,
    onSuccess: onCreated,
  });
  return { ...act, code: act.error instanceof RelayApiError ? act.error.code : undefined };
}

// The draft of a new conversation, kept in this tab: it survives a reload, a closed form and an unreachable daemon, and
// is deleted when the conversation is created or the owner discards it.

const NEW_CONVERSATION_STORAGE = 'relay-new-conversation';

const storeDraft = (draft: ConversationDraft | null): void => {
  if (draft === null) sessionStorage.removeItem(NEW_CONVERSATION_STORAGE);
  else sessionStorage.setItem(NEW_CONVERSATION_STORAGE, JSON.stringify(draft));
};

interface KeptDraft {
  readonly draft: ConversationDraft;
  change(by: Partial<ConversationDraft>): void;
  forget(): void;
}

/** A stored draft takes precedence over the template in the address. */
function useConversationDraft(template: string): KeptDraft {
  const [draft, setDraft] = useState<ConversationDraft>(
    () =>
      readDraft(sessionStorage.getItem(NEW_CONVERSATION_STORAGE)) ??
      draftFromTemplate(findTemplate(template), BLANK_DRAFT),
  );
  const change = useCallback((by: Partial<ConversationDraft>) => {
    setDraft((before) => {
      const next = { ...before, ...by };
      storeDraft(next);
      return next;
    });
  }, []);
  const forget = useCallback(() => {
    storeDraft(null);
    setDraft(BLANK_DRAFT);
  }, []);
  return { draft, change, forget };
}
