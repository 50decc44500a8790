// The rows as they are chosen here, as a file of lines of JSON: read page by page from the oldest on, so that it is
// whole however long it takes.
import { Button } from '@mantine/core';
import type { LedgerLine } from '@relay/core/api/ledger';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { plural } from '../../parts/numbers.ts';
import { asked } from './queries.ts';
import type { LedgerSearch } from './search.ts';

const PAGE = 500;

export function ExportButton({ search }: { readonly search: LedgerSearch }) {
  const isGone = useIsGone();
  const [read, setRead] = useState(0);
  const save = useAct({
    act: async () => {
      setRead(0);
      const lines = await readAll(search, setRead);
      hand(lines.join(''));
    },
    touches: [],
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      disabled={isGone || save.isPending}
      onClick={() => save.mutate()}
    >
      {save.isPending ? plural(read, 'row') : 'Export'}
    </Button>
  );
}

async function readAll(search: LedgerSearch, onRead: (rows: number) => void): Promise<string[]> {
  const lines: string[] = [];
  const filters = asked(search);
  for (let cursor = '0'; ; ) {
    const query = { ...filters, order: 'oldest', limit: PAGE, cursor } as const;
    const page = await relay.get('/api/ledger', { query });
    lines.push(...page.entries.map((entry: LedgerLine) => `${JSON.stringify(entry)}\n`));
    onRead(lines.length);
    if (!page.more || page.cursor === null) return lines;
    cursor = page.cursor;
  }
}

function hand(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `relay-ledger-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(url);
}
