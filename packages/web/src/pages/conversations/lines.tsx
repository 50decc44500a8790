// A list of short lines to fill in: to-dos, or facts. By keyboard: Enter begins the next, Backspace in an empty one
// takes it away, Alt and an arrow moves it. Each of that is a button too.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { added, type Line, moved, type Wrong } from './draft.ts';
import { isNearlyFull, Left } from './left.tsx';
import classes from './new-conversation.module.css';

interface LinesProps {
  readonly kind: 'todo' | 'fact';
  readonly title: string;
  readonly description: string;
  /** On the button. */
  readonly add: string;
  readonly most: number;
  readonly longest: number;
  readonly lines: readonly Line[];
  readonly wrong: Wrong;
  onLines(lines: readonly Line[]): void;
}

export function Lines({ kind, lines, most, onLines, ...words }: LinesProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  // Where the focus goes once the list is drawn.
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    list.current?.querySelector<HTMLInputElement>(`[data-line="${wanted}"]`)?.focus();
    setWanted(null);
  }, [wanted]);
  const add = () => {
    if (lines.length >= most) return;
    const next = added(lines, kind);
    onLines(next);
    setWanted(next.at(-1)?.key ?? null);
  };
  const remove = (index: number) => {
    onLines(lines.toSpliced(index, 1));
    setWanted(lines[index - 1]?.key ?? lines[index + 1]?.key ?? null);
  };
  const move = (from: number, to: number) => {
    onLines(moved(lines, from, to));
    setWanted(lines[from]?.key ?? null);
  };
  const next = (index: number) => {
    const after = lines[index + 1];
    if (after === undefined) add();
    else setWanted(after.key);
  };
  const actOf = ({ key, altKey }: KeyboardEvent, index: number, line: Line) => {
    if (key === 'Enter') return () => next(index);
    if (key === 'Backspace' && line.text === '') return () => remove(index);
    if (key === 'ArrowUp' && altKey) return () => move(index, index - 1);
    if (key === 'ArrowDown' && altKey) return () => move(index, index + 1);
    return undefined;
  };
  const press = (event: KeyboardEvent<HTMLInputElement>, index: number, line: Line) => {
    if (event.nativeEvent.isComposing) return;
    const act = actOf(event, index, line);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <section className={classes.lines} aria-labelledby={id}>
      <h3 id={id}>{words.title}</h3>
      <p className="small dim">{words.description}</p>
      <ul ref={list}>
        {lines.map((line, index) => {
          const name = line.label ?? `${kind === 'todo' ? 'To-do' : 'Fact'} ${index + 1}`;
          return (
            <li key={line.key}>
              <TextInput
                aria-label={name}
                label={line.label}
                data-line={line.key}
                placeholder={
                  line.example ?? (kind === 'todo' ? 'A price' : 'We are at home after six')
                }
                value={line.text}
                error={words.wrong[line.key]}
                onChange={({ currentTarget: { value } }) =>
                  onLines(lines.toSpliced(index, 1, { ...line, text: value }))
                }
                onKeyDown={(event) => press(event, index, line)}
                rightSection={<Left text={line.text} most={words.longest} />}
                rightSectionWidth={isNearlyFull(line.text, words.longest) ? 72 : 12}
              />
              <span className={classes.lineActs}>
                {kind === 'todo' && (
                  <>
                    <ActionIcon
                      aria-label={`Move ${name} up`}
                      disabled={index === 0}
                      onClick={() => move(index, index - 1)}
                    >
                      <IconArrowUp size={16} stroke={1.7} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={`Move ${name} down`}
                      disabled={index === lines.length - 1}
                      onClick={() => move(index, index + 1)}
                    >
                      <IconArrowDown size={16} stroke={1.7} />
                    </ActionIcon>
                  </>
                )}
                <ActionIcon aria-label={`Remove ${name}`} onClick={() => remove(index)}>
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
        {lines.length >= most ? `${most} are the most` : words.add}
      </Button>
    </section>
  );
}
