// The owner's turn at the foot of the transcript: what waits for them, what they write, and the moves that go with it.
// On a phone the rarer moves are in a menu.
import { ActionIcon, Menu } from '@mantine/core';
import type { ConversationInstance } from '@relay/core/api/instances';
import { isTerminal } from '@relay/core/conversation/states';
import { IconDots } from '@tabler/icons-react';
import { Sentence } from '../../../parts/sentence.tsx';
import { Composer } from './composer.tsx';
import classes from './conversation.module.css';
import { isPressed, MoveButton, MovedOn, type Moves } from './moves.tsx';
import { Waiting } from './waiting.tsx';
import { moveWords } from './words.ts';

interface DecideProps {
  readonly instance: ConversationInstance;
  readonly name: string;
  readonly moves: Moves;
}

export function Decide({ instance, name, moves }: DecideProps) {
  const send = moves.legal.find(({ move }) => move === 'manual_send');
  const acts = (
    <>
      <MoveButton moves={moves} move="resume" />
      <RareMoves moves={moves} />
    </>
  );
  return (
    <div className={classes.decide}>
      <Waiting instance={instance} />
      <MovedOn moves={moves} instance={instance} />
      {send === undefined ? (
        <div className={classes.acts}>
          <p className="small dim">
            <Sentence text={instance.reason} />{' '}
            {isTerminal(instance.state) ? '' : cannotWrite(name)}
          </p>
          {acts}
        </div>
      ) : (
        <Composer instance={instance} name={name} send={send}>
          {acts}
        </Composer>
      )}
    </div>
  );
}

const cannotWrite = (name: string): string => `Until then you write to ${name} on your phone.`;

function RareMoves({ moves }: { readonly moves: Moves }) {
  const rare = moves.legal.filter(isPressed).filter(({ move }) => move !== 'resume');
  if (rare.length === 0) return null;
  return (
    <Menu position="top-end" width={300}>
      <Menu.Target>
        <ActionIcon
          className={classes.rare}
          variant="default"
          size={44}
          aria-label="More moves"
          disabled={moves.isOff}
        >
          <IconDots size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {rare.map((legal) => {
          const { act, result, icon: Icon } = moveWords(legal);
          return (
            <Menu.Item
              key={legal.move}
              leftSection={<Icon size={17} />}
              onClick={() => moves.press(legal.move)}
            >
              <b>{act}</b>: {result}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
