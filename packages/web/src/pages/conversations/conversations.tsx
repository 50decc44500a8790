// The conversations page: the board by turn or the list of all, and the form for a new one. View, filters and the open
// form are in the address.
import { Button, SegmentedControl } from '@mantine/core';
import { IconMessagePlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Page } from '../../parts/page.tsx';
import { readConversationsSearch } from '../../search-params.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { ConversationBoard } from './board.tsx';
import classes from './conversations.module.css';
import { boardLead, boardSentence, countAll, listLead } from './copy.ts';
import { ConversationList } from './list.tsx';
import { NewConversationDrawer } from './new-conversation.tsx';
import { conversationCountsQuery } from './queries.ts';

export function ConversationsScreen() {
  const search = readConversationsSearch(useSearch({ strict: false }));
  const navigate = useNavigate({ from: '/conversations' });
  const { data: counts } = useQuery(conversationCountsQuery);
  const isNone = counts !== undefined && countAll(counts) === 0;
  const begin = () => void navigate({ search: { ...search, new: 'blank' } });
  useKeys({ c: begin }, 'New conversation');
  return (
    <Page
      title="Conversations"
      sentence={counts ? boardSentence(counts) : 'Whose turn is it?'}
      summary={
        counts && (isNone ? undefined : (search.view === 'list' ? listLead : boardLead)(counts))
      }
      actions={
        isNone ? undefined : (
          <>
            <SegmentedControl
              className={classes.view ?? ''}
              aria-label="View"
              value={search.view ?? 'board'}
              onChange={(view) =>
                void navigate({
                  search: view === 'list' ? { ...search, view } : { turn: search.turn },
                })
              }
              data={[
                { value: 'board', label: 'Board' },
                { value: 'list', label: 'List' },
              ]}
            />
            <Button
              className={classes.new ?? ''}
              leftSection={<IconMessagePlus size={17} stroke={1.7} />}
              rightSection={<KeyHint>C</KeyHint>}
              aria-keyshortcuts="c"
              onClick={begin}
            >
              New conversation
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
