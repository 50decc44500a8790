// The trigger: adds a webhook to Relay while the workflow is active, and checks the signature of each call.
const { createHmac, timingSafeEqual } = require('node:crypto');
const { callRelay } = require('../Relay/call.js');

const EVENTS = [
  ['message.received', 'Message Received'],
  ['message.sent', 'Message Sent'],
  ['conversation.state', 'Conversation Changed'],
  ['approval.requested', 'Approval Requested'],
  ['approval.answered', 'Approval Answered'],
];

const TOLERANCE_S = 5 * 60;

/** @implements {import('n8n-workflow').INodeType} */
class RelayTrigger {
  description = {
    displayName: 'Relay Trigger',
    name: 'relayTrigger',
    icon: 'file:../Relay/relay.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when something happens on WhatsApp',
    defaults: { name: 'Relay Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'relayApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'relay' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['message.received'],
        options: EVENTS.map(([value, name]) => ({ name, value })),
      },
      {
        displayName: 'Include Text',
        name: 'includeText',
        type: 'boolean',
        default: true,
        description: 'Whether names and texts are part of the event, where the token may read them',
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists() {
        const { webhook } = this.getWorkflowStaticData('node');
        if (webhook === undefined) return false;
        const { data } = await callRelay(this, { method: 'GET', path: '/webhooks' });
        return data.some(({ webhook_id }) => webhook_id === webhook);
      },
      async create() {
        const made = await callRelay(this, {
          method: 'POST',
          path: '/webhooks',
          body: {
            url: this.getNodeWebhookUrl('default'),
            name: `n8n ${this.getWorkflow().name ?? this.getWorkflow().id}`.slice(0, 60),
            events: this.getNodeParameter('events'),
            include_text: this.getNodeParameter('includeText'),
          },
        });
        const kept = this.getWorkflowStaticData('node');
        kept.webhook = made.webhook_id;
        kept.secret = made.secret;
        return true;
      },
      async delete() {
        const kept = this.getWorkflowStaticData('node');
        if (kept.webhook === undefined) return true;
        const path = `/webhooks/${encodeURIComponent(kept.webhook)}`;
        await callRelay(this, { method: 'DELETE', path }).catch((error) => {
          // It may have ended with its token.
          if (error.httpCode !== '404') throw error;
        });
        delete kept.webhook;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook() {
    const request = this.getRequestObject();
    const { secret } = this.getWorkflowStaticData('node');
    if (!isSigned(secret, request.headers, request.rawBody)) {
      this.getResponseObject().status(401).end();
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray(this.getBodyData())] };
  }
}

function isSigned(secret, headers, body) {
  const sent = Number(headers['webhook-timestamp']);
  const recent = Math.abs(Date.now() / 1000 - sent) <= TOLERANCE_S;
  if (typeof secret !== 'string' || body === undefined || !recent) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    .update(body)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

module.exports = { RelayTrigger };
