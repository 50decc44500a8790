// One call of Relay's API with the credentials of the node. Relay's sentence becomes n8n's error message.
const { NodeApiError } = require('n8n-workflow');

/**
 * @param {import('n8n-workflow').IExecuteFunctions | import('n8n-workflow').IHookFunctions} node
 * @param {{ method: string, path: string, query?: object, body?: object, key?: string, item?: number }} request
 */
async function callRelay(node, { method, path, query, body, key, item = 0 }) {
  const { baseUrl, account } = await node.getCredentials('relayApi', item);
  const root = `${String(baseUrl).replace(/\/+$/, '')}/api/v1/accounts/${encodeURIComponent(account)}`;
  const response = await node.helpers.httpRequestWithAuthentication.call(node, 'relayApi', {
    method,
    url: `${root}${path}`,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    ...(query && { qs: query }),
    ...(body && { body }),
    ...(key && { headers: { 'Idempotency-Key': key } }),
  });
  if (response.statusCode < 400) return response.body;
  const problem = response.body ?? {};
  throw new NodeApiError(node.getNode(), problem, {
    message: problem.detail ?? `Relay answered with ${response.statusCode}.`,
    description: problem.action,
    httpCode: String(response.statusCode),
    itemIndex: item,
  });
}

module.exports = { callRelay };
