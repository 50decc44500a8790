// How n8n signs in to Relay: an address, a client's token and the account.

/** @implements {import('n8n-workflow').ICredentialType} */
class RelayApi {
  name = 'relayApi';
  displayName = 'Relay API';
  properties = [
    {
      displayName: 'Address',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:3214',
      description: 'Where Relay listens',
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'Of `relay token create`',
    },
    {
      displayName: 'Account',
      name: 'account',
      type: 'string',
      default: 'default',
    },
  ];
  authenticate = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
  };
  test = {
    request: {
      baseURL: '={{$credentials.baseUrl}}',
      url: '=/api/v1/accounts/{{$credentials.account}}',
    },
  };
}

module.exports = { RelayApi };
