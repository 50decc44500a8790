import type { Weights } from './weigh.ts';

export const ALONE: Weights = {};
export const IN_TALK: Weights = {};
