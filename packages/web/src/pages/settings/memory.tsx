// Search by meaning: which model makes the vectors, how far it has come, and a trial before another is chosen.
import { Button, Progress } from '@mantine/core';
import type { MemoryStatus } from '@relay/core/api/memory';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../parts/card.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { EmbeddingsForm } from './embeddings.tsx';
import { memoryQuery } from './queries.ts';
import classes from './settings.module.css';
import { memoryWords } from './words.ts';

export function MemoryCard() {
  const memory = useQuery(memoryQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Search by meaning">
      <Asked query={memory} what="The memory" loading={<LoadingLines lines={3} />}>
        {(status) => (
          <>
            <p className="small dim">{memoryWords(status)}</p>
            <Reading status={status} />
            {isOpen ? (
              <EmbeddingsForm status={status} onDone={() => setOpen(false)} />
            ) : (
              <div className={classes.acts}>
                <Button variant="default" onClick={() => setOpen(true)}>
                  Change
                </Button>
              </div>
            )}
          </>
        )}
      </Asked>
    </Card>
  );
}

function Reading({ status }: { readonly status: MemoryStatus }) {
  if (status.embeddings === 'off') return null;
  const all = status.vectors + status.waiting;
  return (
    <>
      {status.waiting > 0 && (
        <Progress
          my={10}
          value={all === 0 ? 0 : (status.vectors / all) * 100}
          aria-label={`${status.vectors} of ${all} texts read`}
        />
      )}
      {status.failure !== null && (
        <p className="small">
          <Sentence text={status.failure.sentence} />
        </p>
      )}
    </>
  );
}
