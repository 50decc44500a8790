// The conversations page: the board by turn or the list of all, and the form for a new one. View, filters and the open
// form are in the address.
import { Button, SegmentedControl } from '@mantine/core';
import { IconMessagePlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { t } from '../../i18n.ts';
import { Page } from '../../parts/page.tsx';
import { readConversationsSearch } from '../../search-params.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { ConversationBoard } from './board.tsx';
import classes from './conversations.module.css';
import { boardSummary, countAll, listSummary } from './copy.ts';
import { ConversationList } from './list.tsx';
import { NewConversationDrawer } from './new-conversation.tsx';
import { conversationCountsQuery } from './queries.ts';

export function ConversationsScreen() {
  const search = readConversationsSearch(useSearch({ strict: false }));
  const navigate = useNavigate({ from: '/conversations' });
  const { data: counts } = useQuery(conversationCountsQuery);
  const isNone = counts !== undefined && countAll(counts) === 0;
  const begin = () => void navigate({ search: { ...search, new: 'blank' } });
  useKeys({ c: begin }, t('conversations.new'));
  return (
    <Page
      title={t('common.page.conversations')}
      summary={
        counts === undefined || isNone
          ? undefined
          : (search.view === 'list' ? listSummary : boardSummary)(counts)
      }
      actions={
        isNone ? undefined : (
          <>
            <SegmentedControl
              className={classes.view ?? ''}
              aria-label={t('conversations.view')}
              value={search.view ?? 'board'}
              onChange={(view) =>
                void navigate({
                  search: view === 'list' ? { ...search, view } : { turn: search.turn },
                })
              }
              data={[
                { value: 'board', label: t('conversations.view.board') },
                { value: 'list', label: t('conversations.view.list') },
              ]}
            />
            <Button
              className={classes.new ?? ''}
              leftSection={<IconMessagePlus size={17} stroke={1.7} />}
              rightSection={<KeyHint>C</KeyHint>}
              aria-keyshortcuts="c"
              onClick={begin}
            >
              {t('conversations.new')}
            </Button>
          </>
        )
      }
    >
      {search.view === 'list' && !isNone ? (
        <ConversationList search={search} />
      ) : (
        <ConversationBoard search={search} onBegin={begin} />
      )}
      {search.new !== undefined && (
        <NewConversationDrawer
          template={search.new}
          onClose={() => void navigate({ search: { ...search, new: undefined } })}
        />
      )}
    </Page>
  );
}
