/**
 * Pays one request with the stock version 1 client, as its own documentation says, and prints what came back.
 * Arguments: URL, private key, JSON body, and whether a URL is asked for as resource.
 */
import { privateKeyToAccount } from 'viem/accounts';
import { wrapFetchWithPayment } from 'x402-fetch';

const [url, key, body, preference] = process.argv.slice(2);
// The client's own ceiling is 0.10 dollars, below every price of this server.
const pay = wrapFetchWithPayment(fetch, privateKeyToAccount(key), 1_000_000n);
const response = await pay(url, {
  method: 'POST',
  // A plain object: the client spreads it for its second try.
  headers: { 'content-type': 'application/json', ...(preference ? { prefer: preference } : {}) },
  body,
});
process.stdout.write(
  JSON.stringify({
    status: response.status,
    body: await response.json(),
    receipt: response.headers.get('x-payment-response'),
  }),
);
