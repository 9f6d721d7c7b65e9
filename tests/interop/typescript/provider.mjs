// A provider of OpenID Connect for tests, which lets in whoever says a name. Prints its issuer, and ends with its
// standard input. A name that begins with "unverified" has an address that is not verified.

import { createServer } from "node:http";
import Provider from "oidc-provider";

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "threadlore",
        client_secret: "the-secret-of-the-test",
        redirect_uris: ["http://127.0.0.1/sign-in/provider/callback"],
      },
    ],
    claims: { email: ["email", "email_verified"], profile: ["preferred_username"] },
    pkce: { required: () => true },
    cookies: { keys: ["the key of the test"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: id,
        email_verified: !id.startsWith("unverified"),
        preferred_username: id.split("@")[0],
      }),
    }),
  });
  // Which port sends people here is not known before.
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    new URL(uri).pathname === "/sign-in/provider/callback";
  server.on("request", provider.callback());
  console.log(issuer);
});
process.stdin.resume().on("end", () => process.exit(0));
