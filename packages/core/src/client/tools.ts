// Generated from the registry of tools by `npm run generate`. Do not edit.

export const TOOL_NAMES = [
  'get_chats',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What each tool takes and gives. */
export interface Tools {
    get_chats: {
        input: {
            /** @default true */
            unread_only?: boolean;
        };
        output: {
            chats: {
                id: string;
                name: string;
                last_message: string;
                unread_count: number;
            }[];
        };
    };
}
