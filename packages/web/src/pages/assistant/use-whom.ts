// The owner's names for the numbers that a model calls people by.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { namesQuery } from '../../data/queries.ts';
import { type Whom, whomAmong } from './steps.ts';

export function useWhom(): Whom {
  const { data } = useQuery(namesQuery);
  return useMemo(() => whomAmong(data?.contacts ?? []), [data]);
}
