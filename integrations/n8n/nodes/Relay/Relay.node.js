// The action: one operation of Relay's API for each item.
const { NodeOperationError } = require('n8n-workflow');
const { callRelay } = require('./call.js');

const field = (displayName, name, operations, more = {}) => ({
  displayName,
  name,
  type: 'string',
  default: '',
  displayOptions: { show: { operation: operations } },
  ...more,
});

const OPERATIONS = [
  ['sendMessage', 'Send a Message', 'Send a message to a contact'],
  ['scheduleMessage', 'Schedule a Message', 'Send a message later, once or regularly'],
  ['startConversation', 'Start a Conversation', 'Let an agent write until a goal is reached'],
  ['getConversation', 'Get a Conversation', 'Get the state of a conversation'],
  ['getResult', 'Get a Result', 'Get the result of a conversation that was asked for one'],
  ['listMessages', 'List Messages', 'List the newest messages of a chat'],
  ['listContacts', 'List Contacts', 'List the contacts that the token may use'],
];

const id = encodeURIComponent;

/** What each operation asks Relay. `given` reads a field of the item. */
const REQUESTS = {
  sendMessage: (given) => ({
    method: 'POST',
    path: '/messages',
    body: {
      to: given('to'),
      text: given('text'),
      ...(given('replyTo') && { reply_to: given('replyTo') }),
      ...(given('sendAt') && { send_at: new Date(given('sendAt')).toISOString() }),
    },
  }),
  scheduleMessage: (given) => ({
    method: 'POST',
    path: '/schedules',
    body: { to: given('to'), text: given('text'), when: given('when') },
  }),
  startConversation: (given) => ({
    method: 'POST',
    path: '/conversations',
    body: {
      contact: given('to'),
      objective: given('objective'),
      ...(given('resultSchema') && { result_schema: given('resultSchema') }),
    },
  }),
  getConversation: (given) => ({
    method: 'GET',
    path: `/conversations/${id(given('conversationId'))}`,
  }),
  getResult: (given) => ({
    method: 'GET',
    path: `/conversations/${id(given('conversationId'))}/result`,
  }),
  listMessages: (given) => ({
    method: 'GET',
    path: `/chats/${id(given('chatId'))}/messages`,
    query: { limit: given('limit') },
  }),
  listContacts: (given) => ({
    method: 'GET',
    path: '/contacts',
    query: { limit: given('limit'), ...(given('search') && { q: given('search') }) },
  }),
};

/** @implements {import('n8n-workflow').INodeType} */
class Relay {
  description = {
    displayName: 'Relay',
    name: 'relay',
    icon: 'file:relay.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Send WhatsApp messages and start conversations, under their owner’s control',
    defaults: { name: 'Relay' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'relayApi', required: true }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'sendMessage',
        options: OPERATIONS.map(([value, name, action]) => ({
          name,
          value,
          action,
          description: action,
        })),
      },
      field('To', 'to', ['sendMessage', 'scheduleMessage', 'startConversation'], {
        required: true,
        placeholder: '+49 151 12345678',
        description: 'A phone number, a contact’s id or a unique name',
      }),
      field('Text', 'text', ['sendMessage', 'scheduleMessage'], {
        required: true,
        typeOptions: { rows: 3 },
      }),
      field('Reply To', 'replyTo', ['sendMessage'], {
        description: 'The id of a message in the same chat',
      }),
      field('Send At', 'sendAt', ['sendMessage'], { type: 'dateTime' }),
      field('When', 'when', ['scheduleMessage'], {
        required: true,
        placeholder: 'every weekday 9am',
        description: 'A time, as people type it',
      }),
      field('Objective', 'objective', ['startConversation'], {
        required: true,
        typeOptions: { rows: 3 },
        placeholder: 'Agree on a day for the delivery',
      }),
      field('Result Schema', 'resultSchema', ['startConversation'], {
        type: 'json',
        description: 'A JSON Schema that the agent fills when the conversation ends',
      }),
      field('Conversation ID', 'conversationId', ['getConversation', 'getResult'], {
        required: true,
      }),
      field('Chat ID', 'chatId', ['listMessages'], { required: true }),
      field('Search', 'search', ['listContacts'], { description: 'A part of a name or number' }),
      field('Limit', 'limit', ['listMessages', 'listContacts'], {
        type: 'number',
        typeOptions: { minValue: 1, maxValue: 100 },
        default: 50,
      }),
    ],
  };

  async execute() {
    const items = [];
    for (let item = 0; item < this.getInputData().length; item += 1) {
      try {
        items.push(...(await runItem(this, item)));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        items.push({ json: { error: error.message }, pairedItem: { item } });
      }
    }
    return [items];
  }
}

async function runItem(node, item) {
  const given = (name) => node.getNodeParameter(name, item);
  const request = REQUESTS[given('operation')]((name) =>
    name === 'resultSchema' ? schemaOf(node, given(name), item) : given(name),
  );
  // n8n repeats an item after a failure: the same key means the same effect.
  const key = `n8n-${node.getExecutionId()}-${node.getNode().id}-${item}`.slice(0, 128);
  const answer = await callRelay(node, {
    ...request,
    item,
    ...(request.method !== 'GET' && { key }),
  });
  return (Array.isArray(answer.data) ? answer.data : [answer]).map((json) => ({
    json,
    pairedItem: { item },
  }));
}

function schemaOf(node, written, item) {
  if (typeof written !== 'string' || written.trim() === '') return written || undefined;
  try {
    return JSON.parse(written);
  } catch {
    throw new NodeOperationError(node.getNode(), 'The result schema is not valid JSON.', {
      itemIndex: item,
    });
  }
}

module.exports = { Relay };
