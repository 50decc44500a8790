// stub
export const stem = (word: string): string => word;
