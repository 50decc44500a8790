// Asking about the group: leads to the search, through this group alone. Only the owner sees the answer.
import { Button, TextInput } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import classes from './groups.module.css';

export function AskForm({ id, name }: { readonly id: string; readonly name: string }) {
  const [question, setQuestion] = useState('');
  const navigate = useNavigate();
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const q = question.trim();
    if (q !== '') void navigate({ to: '/search', search: { q, chat: id } });
  };
  return (
    <form className={classes.ask} onSubmit={ask}>
      <TextInput
        aria-label={`Ask about ${name}`}
        placeholder="Ask about this group. Only you see the answer."
        leftSection={<IconSparkles size={16} stroke={1.7} />}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
      />
      <Button type="submit" disabled={question.trim() === ''}>
        Ask
      </Button>
    </form>
  );
}
